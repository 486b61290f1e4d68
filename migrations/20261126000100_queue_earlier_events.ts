import type { Knex } from 'knex';

/**
 * Queues the events that were appended before the queue existed. First waits for statements that
 * began with the functions of that time. The relay comes with a later migration, so none of these
 * events is in a feed yet.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('SELECT wait_for_contribution_writers()');
  await knex.raw(`
    INSERT INTO event_queue (environment_id, event_id, queued_at)
    SELECT e.environment_id, e.event_id, e.recorded_at FROM events e
    ON CONFLICT ON CONSTRAINT event_queue_pkey DO NOTHING`);
}

/** The next step drops the queue. All of it is in `events` too, so nothing is lost. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('DELETE FROM event_queue');
}
