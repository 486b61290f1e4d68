import type { Knex } from 'knex';

/** `verify` compares retries with the feeds. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT SELECT ON webhook_retries TO contribution_operator');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('REVOKE SELECT ON webhook_retries FROM contribution_operator');
}
