import type { Knex } from 'knex';

/*
 * Counts all completed contributions and supports while the service runs. Each environment is one
 * short transaction that holds no lock that requests wait for. An interrupted run rolls back the
 * current environment, and the next run continues with it.
 */
export const config = { transaction: false };

/** Keeps other processes from changing the figures until the transaction ends. */
const takeTurn = 'UPDATE project_figures_turn SET taken_at = clock_timestamp()';

/**
 * Counts and deletes changes in one snapshot. The deleted changes belong to counted completions;
 * the other changes belong to completions that the snapshot does not contain.
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
      // No request waits for these locks, so this transaction may wait for them without a limit.
      await trx.raw('SET LOCAL lock_timeout = 0');
      await trx.raw(takeTurn);
      await trx.raw(countEnvironment, { environmentId });
    });
  }
}

/** The figures stay correct: later completions are added to them. */
export function down(): Promise<void> {
  return Promise.resolve();
}
