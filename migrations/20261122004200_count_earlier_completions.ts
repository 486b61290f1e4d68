import type { Knex } from 'knex';

/*
 * Counts every completed contribution and every support into the figures, one environment after the
 * other, while the service goes on. Each environment is one short transaction of its own that locks
 * nothing a request waits for. A run that is interrupted loses the environment it was counting, and
 * the next run goes on from there.
 */
export const config = { transaction: false };

/**
 * Nobody adds up or recounts until the transaction ends; what is read after it sees all that they
 * have done.
 */
const takeTurn = 'UPDATE project_figures_turn SET taken_at = clock_timestamp()';

/**
 * One snapshot: the changes that it removes belong to completions that it counts, and the others to
 * completions that it does not see.
 */
const countEnvironment = `
  WITH next AS (
    DELETE FROM project_figures_uncounted u WHERE u.environment_id = :environmentId RETURNING u.environment_id
  ),
  counted AS (
    DELETE FROM project_figure_changes c WHERE c.environment_id = :environmentId AND EXISTS (SELECT FROM next)
  )
  INSERT INTO project_figures (figures_scope, project_id, raised_cents, supporters_count)
  SELECT e.figures_scope, part.project_id, sum(part.amount_cents), sum(part.supporters)
    FROM (
      SELECT t.project_id, sum(t.amount_cents) AS amount_cents, 0 AS supporters
        FROM transactions t
       WHERE t.environment_id = :environmentId AND t.status = 'completed'
       GROUP BY t.project_id
      UNION ALL
      SELECT s.project_id, 0, count(*) FROM supports s WHERE s.environment_id = :environmentId GROUP BY s.project_id
    ) AS part
    JOIN environments e ON e.environment_id = :environmentId
   WHERE EXISTS (SELECT FROM next)
   GROUP BY e.figures_scope, part.project_id
   ORDER BY e.figures_scope, part.project_id
  ON CONFLICT ON CONSTRAINT project_figures_pkey DO UPDATE
     SET raised_cents = project_figures.raised_cents + EXCLUDED.raised_cents,
         supporters_count = project_figures.supporters_count + EXCLUDED.supporters_count`;

export async function up(knex: Knex): Promise<void> {
  const environmentsLeft = await knex<{ environment_id: number }>('project_figures_uncounted')
    .orderBy('environment_id')
    .pluck('environment_id');
  for (const environmentId of environmentsLeft) {
    await knex.transaction(async (trx) => {
      // No request waits for the turn or for the rows of changes, so waiting for them holds nobody
      // up.
      await trx.raw('SET LOCAL lock_timeout = 0');
      await trx.raw(takeTurn);
      await trx.raw(countEnvironment, { environmentId });
    });
  }
}

/** The figures stay right: what is completed later is added up. */
export function down(): Promise<void> {
  return Promise.resolve();
}
