import type { Knex } from 'knex';

const allow = (kinds: string): string => `
  ALTER TABLE webhook_attempts DROP CONSTRAINT webhook_attempts_kind_known;
  ALTER TABLE webhook_attempts ADD CONSTRAINT webhook_attempts_kind_known CHECK (kind IN (${kinds}))`;

/** The log has the copies of events that sandbox faults add. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(allow(`'first', 'retry', 'ping', 'resend', 'replay', 'fault'`));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DELETE FROM webhook_attempts WHERE kind = 'fault'`);
  await knex.raw(allow(`'first', 'retry', 'ping', 'resend', 'replay'`));
}
