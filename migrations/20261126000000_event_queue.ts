import type { Knex } from 'knex';

/**
 * The queue of events that are not in the feeds yet. The functions that append an event also insert
 * it here, in the same transaction.
 */
const appendingFunctions = ['create_contribution', 'complete_contribution_of', 'record_return_of'];

const enqueue = `
  INSERT INTO event_queue (environment_id, event_id, queued_at) VALUES (_environment_id, _event_id, clock_timestamp());`;

/** The one statement of each of these functions that appends an event. */
const append = /INSERT INTO events\b[^;]*;/g;

/** Changes only this statement, and keeps the rest of each function as it is in the database. */
async function changeFunctions(knex: Knex, change: (appendStatement: string) => string): Promise<void> {
  for (const name of appendingFunctions) {
    const { rows } = await knex.raw<{ rows: { definition: string }[] }>(
      `SELECT pg_get_functiondef(p.oid) AS definition FROM pg_proc p
        WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ?`,
      [name],
    );
    const [{ definition } = { definition: '' }, ...others] = rows;
    const before = definition.replace(enqueue, '');
    if (others.length > 0 || before.match(append)?.length !== 1) {
      throw new Error(`The function ${name} does not append exactly one event.`);
    }
    await knex.raw(before.replace(append, change).replaceAll('?', '\\?'));
  }
}

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE event_queue (
      environment_id integer NOT NULL,
      event_id uuid NOT NULL,
      queued_at timestamptz NOT NULL,
      CONSTRAINT event_queue_pkey PRIMARY KEY (environment_id, event_id)
    );
    COMMENT ON TABLE event_queue IS 'events that the relay has not yet written to the feeds';
    CREATE INDEX event_queue_by_time ON event_queue (queued_at, event_id);
    GRANT INSERT (environment_id, event_id, queued_at), SELECT (queued_at)
      ON event_queue TO contribution_service;
    GRANT SELECT ON event_queue TO contribution_operator`);
  await changeFunctions(knex, (statement) => statement + enqueue);
}

export async function down(knex: Knex): Promise<void> {
  await changeFunctions(knex, (statement) => statement);
  await knex.raw('DROP TABLE event_queue');
}
