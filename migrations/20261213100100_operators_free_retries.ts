import type { Knex } from 'knex';

/** `webhooks enable` makes retries due, as the partner's request does. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'GRANT UPDATE (attempts, outage_attempts, next_attempt_at) ON webhook_retries TO contribution_operator',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'REVOKE UPDATE (attempts, outage_attempts, next_attempt_at) ON webhook_retries FROM contribution_operator',
  );
}
