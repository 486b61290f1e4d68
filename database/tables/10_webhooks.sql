-- An endpoint has a cursor, so successful deliveries write no row. Secrets are derived, not stored.
-- The service deletes an endpoint when its partner does.
CREATE TABLE webhook_endpoints (
  environment_id integer NOT NULL,
  endpoint_id uuid NOT NULL,
  environment_kind text NOT NULL,
  slot smallint NOT NULL,
  url text NOT NULL,
  types text[] NOT NULL,
  description text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  verified_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  secret_version integer NOT NULL,
  key_version smallint NOT NULL,
  previous_key_version smallint,
  previous_secret_until timestamptz,
  position bigint NOT NULL,
  delivered_at timestamptz,
  lease_id uuid,
  leased_until timestamptz,
  failure_count integer NOT NULL,
  failing_since timestamptz,
  next_probe_at timestamptz,
  probe_count integer NOT NULL,
  notice_count smallint NOT NULL,
  secret_rotated_at timestamptz,
  retries_checked_to uuid,
  frees_retries boolean,
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (environment_id, endpoint_id),
  CONSTRAINT webhook_endpoints_slot_key UNIQUE (environment_id, slot),
  CONSTRAINT webhook_endpoints_url_key UNIQUE (environment_id, url),
  CONSTRAINT webhook_endpoints_environment_fkey
    FOREIGN KEY (environment_id, environment_kind) REFERENCES environments (environment_id, kind),
  CONSTRAINT webhook_endpoints_slot_range CHECK (slot BETWEEN 1 AND 10),
  CONSTRAINT webhook_endpoints_disabled_has_reason CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
  CONSTRAINT webhook_endpoints_failing_counted CHECK ((failing_since IS NULL) = (failure_count = 0)),
  CONSTRAINT webhook_endpoints_probe_failing CHECK (next_probe_at IS NULL OR failing_since IS NOT NULL)
);
COMMENT ON TABLE webhook_endpoints IS 'where partners receive the events of their feed';
COMMENT ON COLUMN webhook_endpoints.slot IS 'limits the endpoints of an environment to 10';
COMMENT ON COLUMN webhook_endpoints.types IS 'the types of events to deliver; empty for all';
COMMENT ON COLUMN webhook_endpoints.key_version IS
  'the master key from which the current secret is derived, with endpoint_id and secret_version';
COMMENT ON COLUMN webhook_endpoints.position IS
  'every event up to this number was delivered, waits in webhook_retries, or is of another type';
COMMENT ON COLUMN webhook_endpoints.failing_since IS 'the first of the failures since the last success';
COMMENT ON COLUMN webhook_endpoints.next_probe_at IS
  'set while deliveries are stopped; then one delivery is attempted';
COMMENT ON COLUMN webhook_endpoints.secret_rotated_at IS
  'the start of the current secret; null for the first one, and after a reset';
COMMENT ON COLUMN webhook_endpoints.retries_checked_to IS
  'set after a change of settings, until it was applied to all retries: it was applied to those of events up to this one';
COMMENT ON COLUMN webhook_endpoints.frees_retries IS 'whether the change also makes failed retries due';

-- Deliveries outside the order of the cursor. A delivery that succeeds at once has a row neither
-- here nor in webhook_attempts.
CREATE TABLE webhook_retries (
  environment_id integer NOT NULL,
  endpoint_id uuid NOT NULL,
  event_id uuid NOT NULL,
  sequence bigint NOT NULL,
  transaction_id text COLLATE "C" NOT NULL,
  attempts smallint NOT NULL,
  outage_attempts smallint NOT NULL,
  next_attempt_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT webhook_retries_pkey PRIMARY KEY (environment_id, endpoint_id, event_id),
  CONSTRAINT webhook_retries_endpoint_fkey
    FOREIGN KEY (environment_id, endpoint_id)
    REFERENCES webhook_endpoints (environment_id, endpoint_id) ON DELETE CASCADE,
  CONSTRAINT webhook_retries_attempts_range CHECK (outage_attempts BETWEEN 0 AND attempts)
);
CREATE INDEX webhook_retries_in_order
  ON webhook_retries (environment_id, endpoint_id, transaction_id, sequence);
-- Finds the due retries of an endpoint without reading those that wait for a later attempt.
CREATE INDEX webhook_retries_by_next_attempt
  ON webhook_retries (environment_id, endpoint_id, next_attempt_at, sequence, transaction_id);
-- Finds the few retries that have failed since the last success of their endpoint.
CREATE INDEX webhook_retries_of_outage ON webhook_retries (environment_id, endpoint_id)
  WHERE outage_attempts > 0;
-- An endpoint belongs to one environment. Without this, PostgreSQL takes both columns for independent,
-- expects hardly any retries of an endpoint, and then reads all of them to find one.
CREATE STATISTICS webhook_retries_of_endpoints (dependencies)
  ON environment_id, endpoint_id FROM webhook_retries;
COMMENT ON TABLE webhook_retries IS 'deliveries that failed, and deliveries that wait behind them';
COMMENT ON COLUMN webhook_retries.sequence IS
  'it waits for the retries of the same contribution with a lower number';
COMMENT ON COLUMN webhook_retries.outage_attempts IS
  'attempts since the last success of the endpoint; after an outage, they do not count';
COMMENT ON COLUMN webhook_retries.next_attempt_at IS
  'infinity while it waits for an earlier retry of the same contribution';

CREATE TABLE webhook_attempts (
  environment_id integer NOT NULL,
  attempt_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  event_id uuid NOT NULL,
  attempted_at timestamptz NOT NULL,
  kind text NOT NULL,
  attempt smallint NOT NULL,
  outcome text NOT NULL,
  failure text,
  status smallint,
  duration_ms integer NOT NULL,
  response text,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (environment_id, attempt_id),
  CONSTRAINT webhook_attempts_environment_fkey
    FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
  CONSTRAINT webhook_attempts_outcome_known CHECK (outcome IN ('delivered', 'failed', 'exhausted')),
  CONSTRAINT webhook_attempts_failure_known CHECK ((failure IS NULL) = (outcome = 'delivered')),
  CONSTRAINT webhook_attempts_kind_known
    CHECK (kind IN ('first', 'retry', 'ping', 'resend', 'replay', 'fault'))
);
CREATE INDEX webhook_attempts_of_endpoint ON webhook_attempts (environment_id, endpoint_id, attempt_id);
CREATE INDEX webhook_attempts_by_time ON webhook_attempts (attempted_at);
CREATE INDEX webhook_attempts_of_event ON webhook_attempts (environment_id, event_id);
COMMENT ON TABLE webhook_attempts IS
  'failed deliveries, and deliveries that follow a failure or that a partner requested; 30 days';
COMMENT ON COLUMN webhook_attempts.response IS 'the first 1,024 bytes of the response to a failure';

CREATE TABLE webhook_replays (
  environment_id integer NOT NULL,
  replay_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  from_sequence bigint NOT NULL,
  to_sequence bigint NOT NULL,
  types text[] NOT NULL,
  selection text NOT NULL,
  event_count integer NOT NULL,
  position bigint NOT NULL,
  delivered_count integer NOT NULL,
  skipped_count integer NOT NULL,
  attempts smallint NOT NULL,
  skipped_in_row smallint NOT NULL,
  next_attempt_at timestamptz NOT NULL,
  lease_id uuid,
  leased_until timestamptz,
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  outcome text,
  CONSTRAINT webhook_replays_pkey PRIMARY KEY (environment_id, replay_id),
  CONSTRAINT webhook_replays_endpoint_fkey
    FOREIGN KEY (environment_id, endpoint_id)
    REFERENCES webhook_endpoints (environment_id, endpoint_id) ON DELETE CASCADE,
  CONSTRAINT webhook_replays_selection_known CHECK (selection IN ('all', 'exhausted')),
  CONSTRAINT webhook_replays_position_range CHECK (position BETWEEN from_sequence - 1 AND to_sequence),
  CONSTRAINT webhook_replays_outcome_known CHECK (outcome IN ('completed', 'canceled', 'failed')),
  CONSTRAINT webhook_replays_ended_has_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
CREATE UNIQUE INDEX webhook_replays_one_running ON webhook_replays (environment_id, endpoint_id)
  WHERE ended_at IS NULL;
CREATE INDEX webhook_replays_of_endpoint ON webhook_replays (environment_id, endpoint_id, replay_id);
COMMENT ON TABLE webhook_replays IS 'repeats of a part of a feed to one endpoint; 30 days after their end';
COMMENT ON COLUMN webhook_replays.position IS
  'every event of the replay up to this number was delivered or skipped';
COMMENT ON COLUMN webhook_replays.attempts IS 'failed attempts of the next event';
COMMENT ON COLUMN webhook_replays.skipped_in_row IS 'events skipped since the last success';
