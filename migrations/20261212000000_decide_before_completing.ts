import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const decide = 'decide_entry(integer, uuid, uuid, text, jsonb, text, text, integer)';
const put = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

/** Each change: the function, the text before, and the text after. */
const changes: readonly (readonly [string, string, string])[] = [
  [
    decide,
    `-- Null: the environment has no such entry. With _seen, contributions were completed: the entry may be
-- absent since then, and the decision is kept even if a newer one counts.
`,
    `-- Null: the environment has no such entry.
`,
  ],
  [decide, 'COALESCE(max(d.number) FILTER (WHERE NOT d.is_superseded), 0)', 'COALESCE(max(d.number), 0)'],
  [
    decide,
    `  IF _same IS NOT NULL THEN
`,
    `  IF _same IS NOT NULL OR _seen <> _newest THEN
`,
  ],
  [decide, 'line_key,\n     is_superseded, known_money)', 'line_key,\n     known_money)'],
  [decide, ' e.line_key,\n         COALESCE(_seen <> _newest, false),\n', ' e.line_key,\n'],
  [
    decide,
    `     AND (e.standing <> 'absent' OR _seen IS NOT NULL);
`,
    `     AND e.standing <> 'absent';
`,
  ],
  [
    decide,
    `  RETURN CASE WHEN _seen <> _newest THEN 'superseded' ELSE 'appended' END;\n`,
    `  RETURN 'appended';\n`,
  ],
  [put, ' AND o.entry_id = a.entry_id AND NOT o.is_superseded\n', ' AND o.entry_id = a.entry_id\n'],
];

/**
 * The decision `complete` is appended before its completions, so that a process that stops between
 * two of them leaves it. No decision is superseded any more: another one is either earlier, and
 * refuses this one, or later.
 */
export async function up(knex: Knex): Promise<void> {
  for (const [signature, before, after] of changes) await replaceInFunction(knex, signature, before, after);
  await knex.raw('ALTER TABLE reconciliation_decisions DROP COLUMN is_superseded');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE reconciliation_decisions ADD COLUMN is_superseded boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN reconciliation_decisions.is_superseded IS 'another decision came while this one completed contributions; it never counted';
    GRANT SELECT (is_superseded), INSERT (is_superseded) ON reconciliation_decisions TO contribution_service`);
  for (const [signature, before, after] of [...changes].reverse())
    await replaceInFunction(knex, signature, after, before);
}
