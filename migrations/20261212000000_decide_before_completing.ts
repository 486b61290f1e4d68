import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const decide = 'decide_entry(integer, uuid, uuid, text, jsonb, text, text, integer)';

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
];

/**
 * The decision `complete` is appended before its completions, so that a process that stops between
 * two of them leaves it. No new decision is superseded: another one is either earlier, and refuses
 * this one, or later. Rows that were superseded before keep their mark.
 */
export async function up(knex: Knex): Promise<void> {
  for (const [signature, before, after] of changes) await replaceInFunction(knex, signature, before, after);
  await knex.raw('REVOKE INSERT (is_superseded) ON reconciliation_decisions FROM contribution_service');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('GRANT INSERT (is_superseded) ON reconciliation_decisions TO contribution_service');
  for (const [signature, before, after] of [...changes].reverse())
    await replaceInFunction(knex, signature, after, before);
}
