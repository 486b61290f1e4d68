import type { Knex } from 'knex';

/**
 * An endpoint belongs to one environment. Without this, PostgreSQL takes both columns for
 * independent, expects hardly any retries of an endpoint, and then reads all of them to find one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'CREATE STATISTICS webhook_retries_of_endpoints (dependencies) ON environment_id, endpoint_id FROM webhook_retries',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP STATISTICS webhook_retries_of_endpoints');
}
