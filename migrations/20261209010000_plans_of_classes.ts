import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

const digestOf = (column: string): string => `
       SELECT string_agg(s.file_id || ' ' || s.place, ',' ORDER BY s.file_id, s.place) FROM entry_sources s
         JOIN statement_files f ON f.environment_id = s.environment_id AND f.file_id = s.file_id
        WHERE s.environment_id = _environment_id AND s.${column} = ANY (_class_keys)
          AND f.state <> 'receiving' AND f.voided_at IS NULL
`;

const digestByKey = (column: string): string => `
       SELECT string_agg(s.file_id || ' ' || s.place, ',' ORDER BY s.file_id, s.place)
         FROM unnest(_class_keys) AS k (class_key)
        CROSS JOIN LATERAL (
          SELECT o.file_id, o.place FROM entry_sources o
           WHERE o.environment_id = _environment_id AND o.${column} = k.class_key OFFSET 0
        ) AS s
        WHERE (SELECT f.state <> 'receiving' AND f.voided_at IS NULL FROM statement_files f
                WHERE f.environment_id = _environment_id AND f.file_id = s.file_id)
`;

/** The parts of the function, before and after. */
const changes: readonly (readonly [before: string, after: string])[] = [
  [
    ` SET search_path TO 'public', 'pg_temp'\n`,
    ` SET search_path TO 'public', 'pg_temp'\n SET enable_seqscan TO 'off'\n SET plan_cache_mode TO 'force_custom_plan'\n`,
  ],
  ['  _touched text[];\n', '  _touched text[];\n  _stored uuid[];\n'],
  [
    '  -- What the caller has seen of completions',
    `  SELECT array_agg(e.entry_id) FROM unnest(_class_keys) AS k (class_key)
   CROSS JOIN LATERAL (
     SELECT o.entry_id FROM statement_entries o
      WHERE o.environment_id = _environment_id AND o.class_key = k.class_key OFFSET 0
   ) AS e
    INTO _stored;
  -- What the caller has seen of completions`,
  ],
  [digestOf('class_key'), digestByKey('class_key')],
  [digestOf('parent_key'), digestByKey('parent_key')],
  [
    `FROM reconciliation_decisions d
         JOIN statement_entries e ON e.environment_id = d.environment_id AND e.entry_id = d.entry_id
        WHERE d.environment_id = _environment_id AND e.class_key = ANY (_class_keys)
`,
    `FROM reconciliation_decisions d
        WHERE d.environment_id = _environment_id AND d.entry_id = ANY (_stored)
`,
  ],
  [
    `    SELECT a.transaction_id FROM allocations a
      JOIN statement_entries e ON e.environment_id = a.environment_id AND e.entry_id = a.entry_id
     WHERE a.environment_id = _environment_id AND e.class_key = ANY (_class_keys)
`,
    `    SELECT a.transaction_id FROM allocations a
     WHERE a.environment_id = _environment_id AND a.entry_id = ANY (_stored)
`,
  ],
  [
    `WHERE e.environment_id = _environment_id AND e.class_key = ANY (_class_keys);\n`,
    `WHERE e.environment_id = _environment_id AND e.entry_id = ANY (_stored);\n`,
  ],
  [
    `    FROM statement_entries e
   WHERE a.environment_id = _environment_id AND e.environment_id = _environment_id AND e.entry_id = a.entry_id
     AND e.class_key = ANY (_class_keys) AND a.state <> 'withdrawn';
`,
    `   WHERE a.environment_id = _environment_id AND a.entry_id = ANY (_stored) AND a.state <> 'withdrawn';
`,
  ],
  [
    `    FROM allocations a
    JOIN statement_entries e ON e.environment_id = a.environment_id AND e.entry_id = a.entry_id
   WHERE a.environment_id = _environment_id AND a.transaction_id = ANY (_touched)
`,
    `    FROM unnest(_touched) AS t (transaction_id)
   CROSS JOIN LATERAL (
     SELECT o.environment_id, o.entry_id, o.transaction_id, o.transaction_environment_id, o.kind, o.amount_cents,
            o.expected_cents, o.state
       FROM allocations o
      WHERE o.environment_id = _environment_id AND o.transaction_id = t.transaction_id OFFSET 0
   ) AS a
   CROSS JOIN LATERAL (
     SELECT o.is_decided FROM statement_entries o
      WHERE o.environment_id = _environment_id AND o.entry_id = a.entry_id OFFSET 0
   ) AS e
`,
  ],
];

/**
 * Looks up every class and entry by its key. The planner chose to read the whole file for each set
 * of classes, because these tables grow from empty to 100,000 rows before they are analyzed. Each
 * call therefore plans its statements again, and also the checks of its foreign keys.
 */
export async function up(knex: Knex): Promise<void> {
  // The declaration of a variable goes first, because each step must leave a valid function.
  for (const [before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of [...changes].reverse()) {
    await replaceInFunction(knex, signature, after, before);
  }
}
