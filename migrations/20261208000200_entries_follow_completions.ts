import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

/** The parts of the function, before and after. */
const changes: readonly (readonly [before: string, after: string])[] = [
  ['  _touched text[];\n', '  _touched text[];\n  _seen text;\n'],
  [
    '  IF _basis IS DISTINCT FROM md5(concat((\n',
    `  -- What the caller has seen of completions, lists and links. It does not change before this commits.
  SELECT concat_ws(' ', p.seen_sequence, p.seen_lists, p.seen_links) FROM matching_progress p
   WHERE p.environment_id = _environment_id
     FOR SHARE
    INTO _seen;
  IF _basis IS DISTINCT FROM md5(concat((
`,
  ],
  [
    `AND e.class_key = ANY (_class_keys)
     ))) THEN`,
    `AND e.class_key = ANY (_class_keys)
     ), ';', _seen)) THEN`,
  ],
  [
    `  UPDATE allocations a SET state = 'withdrawn'\n`,
    `  INSERT INTO entry_references (environment_id, reference, class_key)
  SELECT DISTINCT _environment_id, r.reference, decode(n.class_key, 'hex')
    FROM jsonb_to_recordset(_entries) AS n (class_key text, waits_for jsonb),
         jsonb_array_elements_text(n.waits_for) AS r (reference)
  ON CONFLICT ON CONSTRAINT entry_references_pkey DO NOTHING;

  UPDATE allocations a SET state = 'withdrawn'
`,
  ],
];

/**
 * A result of before a completion, a list or a link never replaces one of after it. The function
 * also stores the references for which entries wait.
 */
export async function up(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  // The declaration goes last, because each step must leave a valid function.
  for (const [before, after] of [...changes].reverse()) {
    await replaceInFunction(knex, signature, after, before);
  }
}
