import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';
const before = '    SET standing = excluded.standing, charges_cents = excluded.charges_cents,\n';
const after = `    SET standing = excluded.standing, booking_date = excluded.booking_date, charges_cents = excluded.charges_cents,\n`;

/**
 * A later statement may state the date of an entry that a notification states in UTC or omits.
 * Before, the date was a part of the identity of an entry.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT UPDATE (booking_date) ON statement_entries TO contribution_service');
  await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, after, before);
  await knex.raw('REVOKE UPDATE (booking_date) ON statement_entries FROM contribution_service');
}
