import type { Knex } from 'knex';

/** A rotation that is repeated soon returns the same secret. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhook_endpoints ADD COLUMN secret_rotated_at timestamptz;
    COMMENT ON COLUMN webhook_endpoints.secret_rotated_at IS
      'the start of the current secret; null for the first one, and after a reset';
    GRANT SELECT (secret_rotated_at), UPDATE (secret_rotated_at) ON webhook_endpoints TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE webhook_endpoints DROP COLUMN secret_rotated_at');
}
