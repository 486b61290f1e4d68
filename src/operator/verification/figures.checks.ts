import { check, problemsOf } from './verification-check';

/** Checks that the stored figures of projects equal their sums. */
export const figureChecks = [
  check(
    'project-figures-agree',
    'installation',
    'project_figures',
    "A project's figures, plus its pending changes, match its completed transactions, minus what was returned, and its supports.",
    `
    WITH recorded AS (
      SELECT figures_scope, project_id, sum(raised_cents) AS raised_cents, sum(supporters_count) AS supporters_count
        FROM (
          SELECT f.figures_scope, f.project_id, f.raised_cents, f.supporters_count FROM project_figures f
          UNION ALL
          SELECT e.figures_scope, c.project_id, c.amount_cents, c.supporters
            FROM project_figure_changes c JOIN environments e ON e.environment_id = c.environment_id
        ) AS part
       GROUP BY figures_scope, project_id
    ),
    given AS (
      SELECT e.figures_scope, part.project_id, sum(part.amount_cents) AS raised_cents, sum(part.supporters) AS supporters_count
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
    )
    SELECT NULLIF(figures_scope, 0) AS environment_id, project_id, ${problemsOf({
      'the raised amount does not match its completed transactions': `
        COALESCE(recorded.raised_cents, 0) <> COALESCE(given.raised_cents, 0)`,
      'the number of supporters does not match its supports': `
        COALESCE(recorded.supporters_count, 0) <> COALESCE(given.supporters_count, 0)`,
    })} AS problem
      FROM recorded FULL JOIN given USING (figures_scope, project_id)`,
  ),
];
