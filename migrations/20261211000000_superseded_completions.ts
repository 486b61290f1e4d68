import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'decide_entry(integer, uuid, uuid, text, jsonb, text, text, integer)';

/** The parts of the function, before and after. */
const changes: readonly (readonly [before: string, after: string])[] = [
  [
    `-- newer one replaced it, or the newest one is not the one that the caller has seen (_seen, a number).
-- Null: the environment has no such entry. With _seen, contributions were completed, so the entry may
-- be absent since then.
`,
    `-- newer one replaced it, or the newest one is not the one that the caller has seen (_seen, a number).
-- Null: the environment has no such entry. With _seen, contributions were completed: the entry may be
-- absent since then, and the decision is kept even if a newer one counts.
`,
  ],
  [
    `  SELECT COALESCE(max(d.number), 0),
`,
    `  SELECT COALESCE(max(d.number) FILTER (WHERE NOT d.is_superseded), 0),
`,
  ],
  [
    `  IF _same < _newest OR _seen <> _newest THEN
`,
    `  IF _same IS NOT NULL THEN
`,
  ],
  ['decided_by_api_key, line_key)\n', 'decided_by_api_key, line_key,\n     is_superseded)\n'],
  [
    `_reason, _api_key, e.line_key
`,
    `_reason, _api_key, e.line_key,
         COALESCE(_seen <> _newest, false)
`,
  ],
  [
    `  RETURN 'appended';
`,
    `  RETURN CASE WHEN _seen <> _newest THEN 'superseded' ELSE 'appended' END;
`,
  ],
];

/**
 * A decision that arrives while another one completes contributions is newer, and counts. The
 * completion happened, so its decision is kept too, and changes nothing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE reconciliation_decisions ADD COLUMN is_superseded boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN reconciliation_decisions.is_superseded IS 'another decision came while this one completed contributions; it never counted';
    GRANT SELECT (is_superseded), INSERT (is_superseded) ON reconciliation_decisions TO contribution_service`);
  for (const [before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, signature, after, before);
  await knex.raw('ALTER TABLE reconciliation_decisions DROP COLUMN is_superseded');
}
