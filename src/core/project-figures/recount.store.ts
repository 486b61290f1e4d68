import { lockRecount } from '../../db/operator-locks';
import type { Queries } from '../../db/operator-transaction';

/**
 * Locks out processes that apply changes until the transaction ends. Each change is thus either
 * included in the recount or still queued.
 */
const lockFigures = 'UPDATE project_figures_turn SET taken_at = clock_timestamp()';

/**
 * Reads what one environment gave to each project, and its queued changes. It needs one snapshot,
 * which contains both a completion and its queued change, or neither. On a cluster, only a
 * query that reads one environment has one snapshot.
 *
 * $1 environment_id, $2 figures_scope
 */
const countEnvironment = `
  SELECT $2::integer AS figures_scope, part.project_id, sum(part.amount_cents)::text AS raised_cents,
         sum(part.supporters)::text AS supporters_count, NULL::bigint[] AS change_ids
    FROM (
      SELECT t.project_id, sum(t.amount_cents - t.returned_cents) AS amount_cents, 0 AS supporters
        FROM transactions t WHERE t.environment_id = $1 AND t.status = 'completed' AND t.corrected_at IS NULL
       GROUP BY t.project_id
      UNION ALL
      SELECT s.project_id, 0, count(*) FROM supports s WHERE s.environment_id = $1 AND s.ended_at IS NULL
       GROUP BY s.project_id
    ) AS part
   GROUP BY part.project_id
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, array_agg(c.change_id) FROM project_figure_changes c WHERE c.environment_id = $1`;

interface Counted {
  figures_scope: number | null;
  project_id: number | null;
  raised_cents: string | null;
  supporters_count: string | null;
  change_ids: string[] | null;
}

/** $1 environment_id, $2 the changes that were counted */
const deleteChanges = `
  DELETE FROM project_figure_changes c WHERE c.environment_id = $1 AND c.change_id = ANY ($2::bigint[])`;

/** $1 the sums of all environments */
const correctFigures = `
  WITH given AS (
    SELECT g.figures_scope, g.project_id, sum(g.raised_cents)::bigint AS raised_cents,
           sum(g.supporters_count)::bigint AS supporters_count
      FROM jsonb_to_recordset($1::jsonb) AS g (
        figures_scope integer, project_id integer, raised_cents bigint, supporters_count bigint)
     GROUP BY g.figures_scope, g.project_id
  ),
  emptied AS (
    UPDATE project_figures f SET raised_cents = 0, supporters_count = 0
     WHERE (f.raised_cents, f.supporters_count) <> (0, 0)
       AND NOT EXISTS (SELECT FROM given g WHERE g.figures_scope = f.figures_scope AND g.project_id = f.project_id)
    RETURNING f.project_id
  ),
  corrected AS (
    INSERT INTO project_figures AS f (figures_scope, project_id, raised_cents, supporters_count)
    SELECT g.figures_scope, g.project_id, g.raised_cents, g.supporters_count FROM given g
    ON CONFLICT ON CONSTRAINT project_figures_pkey DO UPDATE
       SET raised_cents = EXCLUDED.raised_cents, supporters_count = EXCLUDED.supporters_count
     WHERE (f.raised_cents, f.supporters_count) <> (EXCLUDED.raised_cents, EXCLUDED.supporters_count)
    RETURNING f.project_id
  )
  SELECT ((SELECT count(*) FROM emptied) + (SELECT count(*) FROM corrected))::integer AS changed`;

export function createRecountStore(database: Queries) {
  /** Counts an environment, and deletes the queued changes that the result includes. */
  async function count(environmentId: number, figuresScope: number): Promise<Counted[]> {
    const rows = await database.runUnprepared<Counted>(countEnvironment, [environmentId, figuresScope]);
    const changes = rows.flatMap(({ change_ids: ids }) => ids ?? []);
    if (changes.length > 0) await database.runUnprepared(deleteChanges, [environmentId, changes]);
    return rows.filter(({ project_id: projectId }) => projectId !== null);
  }

  return {
    /**
     * Recalculates the figures of all projects from the supports and the completed transactions,
     * minus the returned and corrected money. The service can keep running. Run it in a
     * transaction.
     *
     * @returns the number of corrected rows, one per project and figures scope
     */
    async recount() {
      await database.run(lockRecount, []);
      await database.runUnprepared(lockFigures, []);
      const environments = await database.runUnprepared<{ environment_id: number; figures_scope: number }>(
        'SELECT environment_id, figures_scope FROM environments ORDER BY environment_id',
        [],
      );
      const given: Counted[] = [];
      for (const { environment_id: id, figures_scope: scope } of environments)
        given.push(...(await count(id, scope)));
      const [row] = await database.runUnprepared<{ changed: number }>(correctFigures, [
        JSON.stringify(given),
      ]);
      return row?.changed ?? 0;
    },
  };
}
