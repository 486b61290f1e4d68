import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

const beforeBasis = '  IF _basis IS DISTINCT FROM md5(concat((\n';
const afterBasis = `  -- The final statements that may cover the lines. Earlier versions of the service do not send their
  -- digest.
  IF strpos(_basis, ' ') > 0 THEN
    IF split_part(_basis, ' ', 2) IS DISTINCT FROM md5(concat((
         SELECT string_agg(concat_ws(' ', a.account_id, c.files), ',' ORDER BY a.account_id)
           FROM statement_accounts a
          CROSS JOIN LATERAL (
            SELECT md5(string_agg(s.file_id::text, ',' ORDER BY s.file_id)) AS files
              FROM (
                SELECT DISTINCT o.file_id FROM statements o
                 WHERE o.environment_id = _environment_id AND o.account_id = a.account_id AND o.kind = 'final'
                   AND o.balance <> 'unbalanced'
              ) AS s
              JOIN statement_files f ON f.environment_id = _environment_id AND f.file_id = s.file_id
             WHERE f.state <> 'receiving' AND f.voided_at IS NULL
          ) AS c
          WHERE a.environment_id = _environment_id AND a.account_id IN (
            SELECT l.account_id FROM unnest(_class_keys) AS k (class_key)
             CROSS JOIN LATERAL (
               SELECT st.account_id FROM entry_sources o
                 JOIN statements st ON st.environment_id = _environment_id AND st.file_id = o.file_id
                                   AND st.number = o.statement_number
                WHERE o.environment_id = _environment_id AND o.class_key = k.class_key LIMIT 1
             ) AS l)
       ))) THEN
      RETURN false;
    END IF;
    _basis := split_part(_basis, ' ', 1);
  END IF;
  IF _basis IS DISTINCT FROM md5(concat((
`;

const progress = 'p.seen_sequence, p.seen_lists, p.seen_links';
/** The parts of the function, before and after. */
const changes: readonly (readonly [before: string, after: string])[] = [
  [
    `${progress}, p.seen_directions)`,
    `${progress},
           CASE WHEN strpos(_basis, ' ') > 0 THEN p.seen_directions END)`,
  ],
  [beforeBasis, afterBasis],
];

/**
 * A result that was computed before a file of another format covered the lines never replaces a
 * later result. It counted the same money twice. The results of an earlier version of the service
 * are accepted while it is replaced.
 */
export async function up(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of [...changes].reverse()) {
    await replaceInFunction(knex, signature, after, before);
  }
}
