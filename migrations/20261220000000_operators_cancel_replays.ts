import type { Knex } from 'knex';

/** For `webhooks cancel-replay`. */
const privileges = 'UPDATE (ended_at, outcome) ON webhook_replays';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`GRANT ${privileges} TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`REVOKE ${privileges} FROM contribution_operator`);
}
