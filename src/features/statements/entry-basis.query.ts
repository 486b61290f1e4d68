import { query } from '../../db/query';

// OFFSET 0 forces a lookup of each key, even if the planner's statistics of a growing table are
// outdated.
export const entriesOfClasses = `
    SELECT k.class_key, o.entry_id FROM unnest($2::bytea[]) AS k (class_key)
     CROSS JOIN LATERAL (
       SELECT i.entry_id FROM statement_entries i
        WHERE i.environment_id = $1 AND i.class_key = k.class_key OFFSET 0
     ) AS o`;

export const isUsed = `
       (SELECT f.state <> 'receiving' AND f.voided_at IS NULL FROM statement_files f
         WHERE f.environment_id = $1 AND f.file_id = s.file_id)`;

const usedLinesBy = (column: 'class_key' | 'parent_key'): string => `\
    SELECT string_agg(s.file_id || ' ' || s.place, ',' ORDER BY s.file_id, s.place)
      FROM unnest($2::bytea[]) AS k (class_key)
     CROSS JOIN LATERAL (
       SELECT o.file_id, o.place FROM entry_sources o
        WHERE o.environment_id = $1 AND o.${column} = k.class_key OFFSET 0
     ) AS s
     WHERE ${isUsed}
`;

// The final statements that may cover the lines, identified by their files.
const finalStatements = `
    SELECT string_agg(concat_ws(' ', a.account_id, c.files), ',' ORDER BY a.account_id)
      FROM statement_accounts a
     CROSS JOIN LATERAL (
       SELECT md5(string_agg(s.file_id::text, ',' ORDER BY s.file_id)) AS files
         FROM (
           SELECT DISTINCT o.file_id FROM statements o
            WHERE o.environment_id = $1 AND o.account_id = a.account_id AND o.kind = 'final'
              AND o.balance <> 'unbalanced'
         ) AS s
         JOIN statement_files f ON f.environment_id = $1 AND f.file_id = s.file_id
        WHERE f.state <> 'receiving' AND f.voided_at IS NULL
     ) AS c
     WHERE a.environment_id = $1 AND a.account_id IN (
       SELECT l.account_id FROM unnest($2::bytea[]) AS k (class_key)
        CROSS JOIN LATERAL (
          SELECT st.account_id FROM (
                   SELECT o.file_id, o.statement_number FROM entry_sources o
                    WHERE o.environment_id = $1 AND o.class_key = k.class_key OFFSET 0
                 ) AS s
            JOIN statements st ON st.environment_id = $1 AND st.file_id = s.file_id AND st.number = s.statement_number
           LIMIT 1
        ) AS l)
`;

// Two digests. The first covers the lines, their parts and decisions, and the completions, lists,
// links and directions that were seen. The second covers the final statements.
// `put_statement_entries` computes both again. `rules` is the newest version that stored a result.
// $1 environment_id, $2 class_keys
export const readBasis = query(
  'read_entry_basis',
  `
  SELECT md5(concat((
${usedLinesBy('class_key')}  ), ';', (
${usedLinesBy('parent_key')}  ), ';', (
    SELECT string_agg(d.decision_id::text, ',' ORDER BY d.decision_id)
      FROM (${entriesOfClasses}) e
      JOIN reconciliation_decisions d ON d.environment_id = $1 AND d.entry_id = e.entry_id
  ), ';', (
    SELECT concat_ws(' ', p.seen_sequence, p.seen_lists, p.seen_links, p.seen_directions) FROM matching_progress p
     WHERE p.environment_id = $1
  ))) || ' ' || md5(concat((
${finalStatements}  ))) AS basis,
         (SELECT p.rules FROM matching_progress p WHERE p.environment_id = $1) AS rules
  `,
);
