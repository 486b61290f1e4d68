import type { Knex } from 'knex';

/** Successful deliveries, which only advanced the cursor of their endpoint before. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE webhook_deliveries (
      environment_id integer NOT NULL,
      endpoint_id uuid NOT NULL,
      first_attempt_id uuid NOT NULL,
      kind text NOT NULL,
      first_sequence bigint NOT NULL,
      last_sequence bigint NOT NULL,
      recorded_at timestamptz NOT NULL,
      sequence_offsets smallint[] NOT NULL,
      statuses smallint[] NOT NULL,
      started_ms_ago integer[] NOT NULL,
      durations_ms integer[] NOT NULL,
      CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (environment_id, endpoint_id, first_attempt_id),
      CONSTRAINT webhook_deliveries_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT webhook_deliveries_kind_known CHECK (kind IN ('first', 'replay')),
      CONSTRAINT webhook_deliveries_sequences_range CHECK (last_sequence - first_sequence BETWEEN 0 AND 999),
      CONSTRAINT webhook_deliveries_same_length CHECK (
        cardinality(sequence_offsets) BETWEEN 1 AND 1000
        AND cardinality(statuses) = cardinality(sequence_offsets)
        AND cardinality(started_ms_ago) = cardinality(sequence_offsets)
        AND cardinality(durations_ms) = cardinality(sequence_offsets))
    )`);
  await knex.raw(
    'CREATE INDEX webhook_deliveries_of_event ON webhook_deliveries (environment_id, first_sequence, last_sequence)',
  );
  await knex.raw('CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (recorded_at)');
  const comments = {
    'TABLE webhook_deliveries':
      'first attempts and attempts of replays that succeeded, several in a row, in the order of their start; 7 days by default',
    'COLUMN webhook_deliveries.first_attempt_id': 'the id of the first attempt; those of the others count up',
    'COLUMN webhook_deliveries.sequence_offsets':
      'the number of each event in the feed, counted from first_sequence',
    'COLUMN webhook_deliveries.started_ms_ago':
      'how long before recorded_at each attempt started, in milliseconds',
  };
  for (const [thing, text] of Object.entries(comments)) await knex.raw(`COMMENT ON ${thing} IS '${text}'`);
  await knex.raw(
    `COMMENT ON TABLE webhook_attempts IS
       'failed deliveries, and deliveries that follow a failure or that a partner requested, except replays; 30 days'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE webhook_deliveries');
  await knex.raw(
    `COMMENT ON TABLE webhook_attempts IS
       'failed deliveries, and deliveries that follow a failure or that a partner requested; 30 days'`,
  );
}
