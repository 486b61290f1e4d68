import type { Knex } from 'knex';

/** Operators may rename companies. No table refers to a company by name. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT UPDATE (name) ON companies TO contribution_operator');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('REVOKE UPDATE (name) ON companies FROM contribution_operator');
}
