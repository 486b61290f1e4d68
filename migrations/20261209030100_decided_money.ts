import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

/** The parts of the function, before and after. */
const changes: readonly (readonly [before: string, after: string])[] = [
  [
    `         COALESCE(bool_or(e.is_decided AND a.state = 'confirmed'), false)
`,
    `         -- A decision is about the money that was known then.
         COALESCE(max(e.closed_at) FILTER (WHERE e.is_decided AND a.state = 'confirmed')
                  >= max(e.first_seen_at) FILTER (WHERE a.state = 'confirmed'), false)
`,
  ],
  [
    `     SELECT o.is_decided FROM statement_entries o
`,
    `     SELECT o.is_decided, o.first_seen_at,
            CASE WHEN o.is_decided THEN (
              SELECT max(d.decided_at) FROM reconciliation_decisions d
               WHERE d.environment_id = _environment_id AND d.entry_id = o.entry_id
                 AND d.action IN ('ignore', 'accept_difference', 'complete')) END AS closed_at
       FROM statement_entries o
`,
  ],
];

/**
 * Money that arrives after a decision opens its contribution again. Before, a decision about one
 * entry closed the contribution for good, and a later second payment was never open.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT SELECT (first_seen_at) ON statement_entries TO contribution_service');
  for (const [before, after] of [...changes].reverse())
    await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, signature, after, before);
  await knex.raw('REVOKE SELECT (first_seen_at) ON statement_entries FROM contribution_service');
}
