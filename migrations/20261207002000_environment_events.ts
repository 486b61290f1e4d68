import type { Knex } from 'knex';

/**
 * Events of an environment that concern no contribution. The transaction that causes one also
 * appends it, and it reaches the feeds through the same queue. Only this function appends them,
 * with the owner's privileges, so that no caller can change or read them.
 */
const appendEvent = `
CREATE FUNCTION append_environment_event(
  _environment_id integer, _event_id uuid, _type text, _recorded_at timestamptz, _audience integer[], _data jsonb
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Appends an event and queues it for the feed of its environment, and of the environments in
-- _audience.
BEGIN
  INSERT INTO environment_events (environment_id, event_id, type, recorded_at, audience, data)
  VALUES (_environment_id, _event_id, _type, _recorded_at, _audience, _data);
  INSERT INTO event_queue (environment_id, event_id, queued_at)
  VALUES (_environment_id, _event_id, clock_timestamp());
END $$`;

const signature = 'append_environment_event(integer, uuid, text, timestamptz, integer[], jsonb)';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE environment_events (
      environment_id integer NOT NULL,
      event_id uuid NOT NULL,
      type text NOT NULL,
      recorded_at timestamptz NOT NULL,
      audience integer[] NOT NULL,
      data jsonb NOT NULL,
      CONSTRAINT environment_events_pkey PRIMARY KEY (environment_id, event_id),
      CONSTRAINT environment_events_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT environment_events_type_known CHECK (type IN (
        'bank_link.started', 'bank_link.ended', 'webhook_endpoint.failing', 'webhook_endpoint.disabled',
        'webhook_endpoint.recovered', 'webhook_delivery.exhausted'))
    );
    COMMENT ON TABLE environment_events IS
      'events that concern no contribution; deleted together with their copy in the feed';
    COMMENT ON COLUMN environment_events.audience IS 'the other environments whose feeds get the event';
    COMMENT ON COLUMN environment_events.data IS
      'as partners see it: ids and times, never an address, a secret or a name';
    GRANT SELECT ON environment_events TO contribution_operator;
    ALTER TABLE feed_events ALTER COLUMN transaction_id DROP NOT NULL;
    COMMENT ON COLUMN feed_events.transaction_id IS 'null if the event concerns no contribution'`);
  await knex.raw(appendEvent);
  await knex.raw(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${signature} TO contribution_service, contribution_operator`);
}

/** Events that are in a feed keep their numbers, which have no gaps. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP FUNCTION ${signature}`);
  await knex.raw(`
    DELETE FROM event_queue q WHERE EXISTS (
      SELECT FROM environment_events v WHERE v.environment_id = q.environment_id AND v.event_id = q.event_id);
    DROP TABLE environment_events;
    UPDATE feed_events SET transaction_id = '' WHERE transaction_id IS NULL;
    ALTER TABLE feed_events ALTER COLUMN transaction_id SET NOT NULL;
    COMMENT ON COLUMN feed_events.transaction_id IS NULL`);
}
