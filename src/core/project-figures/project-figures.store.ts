import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';

/**
 * The number of changes in a batch. With so few, index lookups are cheaper than a scan of a table
 * with a million rows.
 */
const batchSize = 2_000;
/** The maximum number of batches. It limits a run to a few seconds. */
const maxBatches = 250;

/**
 * One query, so that a change is never both queued and counted. It reads one batch in the order
 * of the primary key, regardless of the length of the queue.
 *
 * $1 null to start a run, otherwise the time at which this process started it; another process must
 * not have started one since. $2, $3 the last change of the previous batch (environment_id,
 * change_id), or 0 and 0
 */
const addUpProjectFigures = query(
  'add_up_project_figures',
  `
  WITH run AS (
    UPDATE project_figures_turn SET taken_at = clock_timestamp()
     WHERE only_row = (
       SELECT t.only_row FROM project_figures_turn t
        WHERE CASE WHEN $1::timestamptz IS NULL THEN t.taken_at <= clock_timestamp() - interval '1 minute'
                   ELSE t.taken_at = $1 END
          FOR UPDATE SKIP LOCKED
     )
    RETURNING taken_at
  ),
  waiting AS MATERIALIZED (
    SELECT w.environment_id, w.change_id, e.figures_scope FROM project_figure_changes w
      JOIN environments e ON e.environment_id = w.environment_id
     WHERE EXISTS (SELECT 1 FROM run)
       AND (w.environment_id, w.change_id) > ($2::integer, $3::bigint)
     ORDER BY w.environment_id, w.change_id
     LIMIT ${batchSize}
  ),
  taken AS (
    DELETE FROM project_figure_changes c
     USING waiting
     WHERE c.environment_id = waiting.environment_id AND c.change_id = waiting.change_id
    RETURNING waiting.figures_scope, c.project_id, c.amount_cents, c.supporters
  ),
  -- This must not read a table. A cluster would lock it on every node, and the lock needs the privilege
  -- to change the table.
  added AS (
    INSERT INTO project_figures (figures_scope, project_id, raised_cents, supporters_count)
    SELECT taken.figures_scope, taken.project_id, sum(taken.amount_cents), sum(taken.supporters)
      FROM taken
     GROUP BY taken.figures_scope, taken.project_id
     ORDER BY taken.figures_scope, taken.project_id
    ON CONFLICT ON CONSTRAINT project_figures_pkey DO UPDATE
       SET raised_cents = project_figures.raised_cents + EXCLUDED.raised_cents,
           supporters_count = project_figures.supporters_count + EXCLUDED.supporters_count
  )
  SELECT (SELECT run.taken_at::text FROM run) AS taken_at, waiting.environment_id, waiting.change_id::text,
         (SELECT count(*) FROM waiting)::integer AS count
    FROM waiting
   ORDER BY waiting.environment_id DESC, waiting.change_id DESC
   LIMIT 1
  `,
);

/**
 * There is no row if another process runs, if one ran within the last minute, or if nothing is
 * queued.
 */
interface BatchRow {
  /** As text, because a Date has no microseconds. */
  taken_at: string;
  environment_id: number;
  change_id: string;
  count: number;
}

/** Reads the whole queue, which normally holds the changes of one minute. */
const readOldestChange = query(
  'read_oldest_figure_change',
  `
  SELECT COALESCE(extract(epoch FROM clock_timestamp() - min(c.recorded_at)), 0)::float8 AS seconds
    FROM project_figure_changes c
  `,
);

export function createProjectFiguresStore(database: Pick<Database, 'run'>) {
  return {
    /**
     * Applies queued changes to the figures of the projects, in batches. Does nothing if a process
     * did so within the last minute. Changes that arrive meanwhile or exceed the maximum number of
     * batches wait for the next run.
     */
    async addUp() {
      let values: [takenAt: string | null, environmentId: number, changeId: string] = [null, 0, '0'];
      for (let batch = 0; batch < maxBatches; batch += 1) {
        const [last] = await database.run<BatchRow>(addUpProjectFigures, values);
        if (last === undefined || last.count < batchSize) return;
        values = [last.taken_at, last.environment_id, last.change_id];
      }
    },
    /** The age of the oldest queued change in seconds; 0 if none is queued. */
    oldestChangeAgeSeconds: async () => {
      const [row] = await database.run<{ seconds: number }>(readOldestChange, []);
      return row?.seconds ?? 0;
    },
  };
}
