import type { Knex } from 'knex';

/** What the relay notes about a queued event that fails. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `ALTER TABLE event_queue
       ADD COLUMN failure_count smallint NOT NULL DEFAULT 0,
       ADD COLUMN retry_at timestamptz,
       ADD COLUMN problem text`,
  );
  await knex.raw(
    `ALTER TABLE event_queue
       ADD CONSTRAINT event_queue_failures_counted CHECK ((retry_at IS NULL) = (failure_count = 0)) NOT VALID`,
  );
  await knex.raw('ALTER TABLE event_queue VALIDATE CONSTRAINT event_queue_failures_counted');
  await knex.raw(
    `COMMENT ON COLUMN event_queue.retry_at IS
       'null unless the event has failed: the time of its next attempt; infinity if it is set aside'`,
  );
  await knex.raw(
    `COMMENT ON COLUMN event_queue.problem IS 'code and constraint of the last failure; never a value'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'ALTER TABLE event_queue DROP COLUMN failure_count, DROP COLUMN retry_at, DROP COLUMN problem',
  );
}
