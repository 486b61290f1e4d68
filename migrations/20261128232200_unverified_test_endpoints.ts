import type { Knex } from 'knex';

/**
 * Test endpoints need a ping. One that has never accepted a delivery was never asked. Another one
 * may have accepted it at a former URL, if its settings have changed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `UPDATE webhook_endpoints SET verified_at = NULL
      WHERE environment_kind = 'test' AND (delivered_at IS NULL OR updated_at > created_at)`,
  );
}

/** Earlier releases never ping a test endpoint. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    `UPDATE webhook_endpoints SET verified_at = created_at WHERE environment_kind = 'test' AND verified_at IS NULL`,
  );
}
