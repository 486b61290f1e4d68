import type { Knex } from 'knex';

/** The events of contributions, appended in the statement of the change and never changed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE events (
      environment_id integer NOT NULL,
      event_id uuid NOT NULL,
      transaction_id text COLLATE "C" NOT NULL,
      type text NOT NULL,
      actor_environment_id integer NOT NULL,
      actor_api_key text COLLATE "C" NOT NULL,
      evidence jsonb NOT NULL DEFAULT '{}',
      recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT events_pkey PRIMARY KEY (environment_id, event_id),
      CONSTRAINT events_transaction_fkey
        FOREIGN KEY (environment_id, transaction_id) REFERENCES transactions (environment_id, transaction_id),
      CONSTRAINT events_actor_fkey FOREIGN KEY (actor_environment_id) REFERENCES environments (environment_id),
      CONSTRAINT events_type_known CHECK (type IN (
        'contribution.created',
        'contribution.completed',
        'contribution.completion_refused',
        'contribution.completion_repeated'
      )),
      CONSTRAINT events_evidence_is_object CHECK (jsonb_typeof(evidence) = 'object')
    );
    COMMENT ON COLUMN events.evidence IS 'data from the caller: amount_cents, bank_reference, value_date; never a user_hash or a name';
    CREATE UNIQUE INDEX events_once_per_transaction ON events (environment_id, transaction_id, type)
      WHERE type IN ('contribution.created', 'contribution.completed');
    CREATE INDEX events_by_transaction ON events (environment_id, transaction_id, recorded_at);
    CREATE INDEX events_by_time ON events (environment_id, recorded_at, event_id);

    CREATE FUNCTION guard_events() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'an event is never changed or removed'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'events_append_only', TABLE = TG_TABLE_NAME;
    END $$;
    CREATE TRIGGER events_guard BEFORE UPDATE OR DELETE ON events
      FOR EACH ROW EXECUTE FUNCTION guard_events();
    CREATE TRIGGER events_guard_truncate BEFORE TRUNCATE ON events
      FOR EACH STATEMENT EXECUTE FUNCTION guard_events();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE events; DROP FUNCTION guard_events()');
}
