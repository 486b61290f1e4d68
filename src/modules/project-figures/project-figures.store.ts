import type { Database } from '../../db/database';
import { statement } from '../../db/statement';

export interface ProjectFiguresStore {
  /**
   * Adds what completions have appended to the figures of the projects, unless somebody did so within the last minute.
   * What is appended meanwhile is for the next time. Of what waits, at most 100,000 changes are taken, the oldest first.
   */
  addUp(): Promise<void>;
}

/** One statement, so a change is either waiting or counted, and never both. */
const addUpProjectFigures = statement(
  'add_up_project_figures',
  `
  WITH turn AS (
    UPDATE project_figures_turn SET taken_at = clock_timestamp()
     WHERE taken_at <= clock_timestamp() - interval '1 minute'
    RETURNING taken_at
  ),
  taken AS (
    DELETE FROM project_figure_changes c
     USING (
       SELECT w.environment_id, w.change_id FROM project_figure_changes w
        WHERE EXISTS (SELECT FROM turn)
        ORDER BY w.change_id
        LIMIT 100000
     ) AS waiting
     WHERE c.environment_id = waiting.environment_id AND c.change_id = waiting.change_id
    RETURNING c.environment_id, c.project_id, c.amount_cents, c.supporters
  )
  INSERT INTO project_figures (figures_scope, project_id, raised_cents, supporters_count)
  SELECT e.figures_scope, taken.project_id, sum(taken.amount_cents), sum(taken.supporters)
    FROM taken
    JOIN environments e ON e.environment_id = taken.environment_id
   GROUP BY e.figures_scope, taken.project_id
   ORDER BY e.figures_scope, taken.project_id
  ON CONFLICT ON CONSTRAINT project_figures_pkey DO UPDATE
     SET raised_cents = project_figures.raised_cents + EXCLUDED.raised_cents,
         supporters_count = project_figures.supporters_count + EXCLUDED.supporters_count
  `,
);

export function createProjectFiguresStore(database: Pick<Database, 'run'>): ProjectFiguresStore {
  return {
    async addUp() {
      await database.run(addUpProjectFigures, []);
    },
  };
}
