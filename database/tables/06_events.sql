-- The events of contributions, appended in the statement of the change and never changed.
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
  CONSTRAINT events_evidence_is_object CHECK (jsonb_typeof(evidence) = 'object'),
  CONSTRAINT events_type_known CHECK (type IN (
    'contribution.created',
    'contribution.completed',
    'contribution.completion_refused',
    'contribution.completion_repeated',
    'contribution.completion_contested',
    'contribution.returned',
    'contribution.return_undone'
  ))
);
CREATE UNIQUE INDEX events_once_per_transaction ON events (environment_id, transaction_id, type)
  WHERE type IN ('contribution.created', 'contribution.completed');
CREATE INDEX events_by_transaction ON events (environment_id, transaction_id, recorded_at);
CREATE INDEX events_by_time ON events (environment_id, recorded_at, event_id);
COMMENT ON COLUMN events.evidence IS
  'data from the caller: amount_cents, bank_reference, value_date; never a user_hash or a name';

-- Events of an environment that concern no contribution. The transaction that causes one also
-- appends it, by the function append_environment_event, which has the owner's privileges: no caller
-- can change or read them.
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
  CONSTRAINT environment_events_type_known
    CHECK (type IN (
    'bank_link.started', 'bank_link.ended', 'webhook_endpoint.failing', 'webhook_endpoint.disabled',
    'webhook_endpoint.recovered', 'webhook_delivery.exhausted'))
);
COMMENT ON TABLE environment_events IS
  'events that concern no contribution; deleted together with their copy in the feed';
COMMENT ON COLUMN environment_events.audience IS 'the other environments whose feeds get the event';
COMMENT ON COLUMN environment_events.data IS
  'as partners see it: ids and times, never an address, a secret or a name';

-- The functions that append an event also insert it here, in the same transaction.
CREATE TABLE event_queue (
  environment_id integer NOT NULL,
  event_id uuid NOT NULL,
  queued_at timestamptz NOT NULL,
  CONSTRAINT event_queue_pkey PRIMARY KEY (environment_id, event_id)
);
CREATE INDEX event_queue_by_time ON event_queue (queued_at, event_id);
COMMENT ON TABLE event_queue IS 'events that the relay has not yet written to the feeds';

-- One feed per environment: its own events, and those of contributions that it sees as their bank.
-- The numbers of a feed have no gaps. Only the relay writes, and only it deletes, from the front.
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
  transaction_id text COLLATE "C",
  type text NOT NULL,
  recorded_at timestamptz NOT NULL,
  written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  audience integer[] NOT NULL,
  data jsonb NOT NULL,
  CONSTRAINT feed_events_pkey PRIMARY KEY (environment_id, sequence),
  CONSTRAINT feed_events_event_key UNIQUE (environment_id, event_id),
  CONSTRAINT feed_events_feed_fkey FOREIGN KEY (environment_id) REFERENCES feeds (environment_id)
);
CREATE INDEX feed_events_by_transaction ON feed_events (environment_id, transaction_id, sequence);
COMMENT ON COLUMN feed_events.transaction_id IS 'null if the event concerns no contribution';
COMMENT ON COLUMN feed_events.audience IS
  'the banks that also have the event in their feeds, decided once; empty in the copy of a bank';
COMMENT ON COLUMN feed_events.data IS 'what the environment may see; never a user_hash or a name';
