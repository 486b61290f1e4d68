import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

/** The parts of the function, before and after. */
const changes: readonly (readonly [before: string, after: string])[] = [
  [
    '        SELECT o.decided_at, o.known_money FROM reconciliation_decisions o\n',
    '        SELECT o.action, o.decided_at, o.known_money FROM reconciliation_decisions o\n',
  ],
  [
    `      WHERE e.is_decided
`,
    `      WHERE e.is_decided AND n.action = 'accept_difference'
`,
  ],
];

/**
 * Only `accept_difference` accepts that the money differs. Before, `complete` about one of two
 * payments closed the contribution, and nobody had decided about the surplus.
 */
export async function up(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, signature, after, before);
}
