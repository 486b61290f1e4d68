import type { Knex } from 'knex';

/**
 * One feed per environment: its own events, and those of contributions that it sees as their bank.
 * The numbers of a feed have no gaps. Only the relay writes, and only it deletes, from the front.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE feeds (
      environment_id integer NOT NULL,
      first_sequence bigint NOT NULL DEFAULT 1,
      last_sequence bigint NOT NULL DEFAULT 0,
      oldest_written_at timestamptz,
      CONSTRAINT feeds_pkey PRIMARY KEY (environment_id),
      CONSTRAINT feeds_environment_fkey FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT feeds_sequences_ordered CHECK (first_sequence BETWEEN 1 AND last_sequence + 1)
    );
    COMMENT ON TABLE feeds IS 'the numbers of the first and the last event in the feed of each environment';

    CREATE TABLE feed_events (
      environment_id integer NOT NULL,
      sequence bigint NOT NULL,
      event_id uuid NOT NULL,
      owner_environment_id integer NOT NULL,
      transaction_id text COLLATE "C" NOT NULL,
      type text NOT NULL,
      recorded_at timestamptz NOT NULL,
      written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      audience integer[] NOT NULL,
      data jsonb NOT NULL,
      CONSTRAINT feed_events_pkey PRIMARY KEY (environment_id, sequence),
      CONSTRAINT feed_events_event_key UNIQUE (environment_id, event_id),
      CONSTRAINT feed_events_feed_fkey FOREIGN KEY (environment_id) REFERENCES feeds (environment_id)
    );
    COMMENT ON COLUMN feed_events.audience IS
      'the banks that also have the event in their feeds, decided once; empty in the copy of a bank';
    COMMENT ON COLUMN feed_events.data IS 'what the environment may see; never a user_hash or a name';
    CREATE INDEX feed_events_by_transaction ON feed_events (environment_id, transaction_id, sequence);

    GRANT SELECT (environment_id, first_sequence, last_sequence) ON feeds TO contribution_service;
    GRANT SELECT (environment_id, sequence, event_id, transaction_id, type, recorded_at, data)
      ON feed_events TO contribution_service;
    GRANT SELECT ON feeds, feed_events TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE feed_events; DROP TABLE feeds');
}
