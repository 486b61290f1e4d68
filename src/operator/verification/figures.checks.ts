import { check, problemsOf } from './verification-check';

/** Checks that the stored figures of projects equal their sums. */
export const figureChecks = [
  check(
    'project-figures-agree',
    'installation',
    'project_figures',
    "A project's figures, plus its pending changes, match its completed transactions, minus what was returned or corrected, and its supports.",
    `
    -- One part of the query, because a cluster reads each part at another time. A completion changes
    -- several of these rows, but not their sum.
    WITH held AS (
      SELECT e.figures_scope, part.project_id, sum(part.amount_cents) AS raised_cents, sum(part.supporters) AS supporters_count
        FROM (
          SELECT t.environment_id, t.project_id, t.amount_cents - t.returned_cents AS amount_cents, 0 AS supporters
            FROM transactions t WHERE t.status = 'completed' AND t.corrected_at IS NULL
          UNION ALL
          SELECT s.environment_id, s.project_id, 0, 1 FROM supports s WHERE s.ended_at IS NULL
          UNION ALL
          SELECT c.environment_id, c.project_id, -c.amount_cents, -c.supporters FROM project_figure_changes c
        ) AS part
        JOIN environments e ON e.environment_id = part.environment_id
       GROUP BY e.figures_scope, part.project_id
    )
    SELECT NULLIF(figures_scope, 0) AS environment_id, project_id, ${problemsOf({
      'the raised amount does not match its completed transactions': `
        COALESCE(f.raised_cents, 0) <> COALESCE(held.raised_cents, 0)`,
      'the number of supporters does not match its supports': `
        COALESCE(f.supporters_count, 0) <> COALESCE(held.supporters_count, 0)`,
    })} AS problem
      FROM project_figures f FULL JOIN held USING (figures_scope, project_id)`,
  ),
];
