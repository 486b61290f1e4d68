import type { Knex } from 'knex';

/**
 * A bank's rows and the list of links name the company, so the service's role may read company
 * names.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT SELECT (name) ON companies TO contribution_service');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('REVOKE SELECT (name) ON companies FROM contribution_service');
}
