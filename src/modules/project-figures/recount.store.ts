import { lockRecount } from '../../db/operator-locks';
import type { Statements } from '../../db/operator-transaction';

export interface RecountStore {
  /**
   * Recalculates the figures of all projects from the completed transactions, without what was
   * returned, and the supports. The service can keep running. Run it in a transaction.
   *
   * @returns the number of corrected rows, one per project and figures scope
   */
  recount(): Promise<number>;
}

/**
 * Locks out processes that apply changes until the transaction ends. Each change is thus either
 * included in the recount or still queued.
 */
const lockFigures = 'UPDATE project_figures_turn SET taken_at = clock_timestamp()';

/** One snapshot: if it does not see a completion, it does not delete its queued change either. */
const recountProjectFigures = `
  WITH given AS (
    SELECT e.figures_scope, part.project_id, sum(part.amount_cents)::bigint AS raised_cents,
           sum(part.supporters)::bigint AS supporters_count
      FROM (
        SELECT t.environment_id, t.project_id, sum(t.amount_cents - t.returned_cents) AS amount_cents, 0 AS supporters
          FROM transactions t WHERE t.status = 'completed'
         GROUP BY t.environment_id, t.project_id
        UNION ALL
        SELECT s.environment_id, s.project_id, 0, count(*) FROM supports s WHERE s.ended_at IS NULL
         GROUP BY s.environment_id, s.project_id
      ) AS part
      JOIN environments e ON e.environment_id = part.environment_id
     GROUP BY e.figures_scope, part.project_id
  ),
  counted AS (DELETE FROM project_figure_changes),
  -- The migration that counts environments one by one has nothing left to do after this.
  no_longer_uncounted AS (DELETE FROM project_figures_uncounted),
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

export function createRecountStore(database: Statements): RecountStore {
  return {
    async recount() {
      await database.run(lockRecount, []);
      await database.runUnprepared(lockFigures, []);
      const [row] = await database.runUnprepared<{ changed: number }>(recountProjectFigures, []);
      return row?.changed ?? 0;
    },
  };
}
