import type { Knex } from 'knex';

const column = 'webhook_retries.next_attempt_at';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `COMMENT ON COLUMN ${column} IS 'infinity while it waits for an earlier retry of the same contribution'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`COMMENT ON COLUMN ${column} IS NULL`);
}
