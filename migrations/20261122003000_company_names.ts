import type { Knex } from 'knex';

/** Lets the service read company names, for a bank's contributions and the list of links. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT SELECT (name) ON companies TO contribution_service');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('REVOKE SELECT (name) ON companies FROM contribution_service');
}
