import type { Knex } from 'knex';

const appendToFeed = `
CREATE FUNCTION append_to_feed(_environment_id integer, _rows jsonb)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Numbers the events of an array, in its order, and writes them to the feed of an environment.
DECLARE
  _before bigint;
BEGIN
  INSERT INTO feeds (environment_id) VALUES (_environment_id)
  ON CONFLICT ON CONSTRAINT feeds_pkey DO NOTHING;
  UPDATE feeds f
     SET last_sequence = f.last_sequence + jsonb_array_length(_rows),
         oldest_written_at = COALESCE(f.oldest_written_at, statement_timestamp())
   WHERE f.environment_id = _environment_id
  RETURNING f.last_sequence - jsonb_array_length(_rows) INTO _before;
  INSERT INTO feed_events
    (environment_id, sequence, event_id, owner_environment_id, transaction_id, type, recorded_at, written_at,
     audience, data)
  SELECT _environment_id, _before + r.position, (r.event ->> 'event_id')::uuid,
         (r.event ->> 'owner_environment_id')::integer, r.event ->> 'transaction_id', r.event ->> 'type',
         (r.event ->> 'recorded_at')::timestamptz, statement_timestamp(),
         CASE WHEN (r.event ->> 'owner_environment_id')::integer = _environment_id
              THEN ARRAY(SELECT jsonb_array_elements_text(r.event -> 'audience')::integer) ELSE '{}' END,
         (r.event -> 'data')
           || CASE WHEN (r.event ->> 'owner_environment_id')::integer = _environment_id
                   THEN (r.event -> 'evidence') || jsonb_build_object('idempotency_key', r.event -> 'idempotency_key')
                   -- Another bank's references are not for this bank, except those of the completion.
                   WHEN r.event ->> 'type' = 'contribution.completed'
                     OR (r.event ->> 'actor_environment_id')::integer = _environment_id THEN r.event -> 'evidence'
                   ELSE (r.event -> 'evidence') - ARRAY['bank_reference', 'value_date'] END
    FROM jsonb_array_elements(_rows) WITH ORDINALITY AS r (event, position);
END $$`;

const relayEventsOf = `
CREATE FUNCTION relay_events_of(_environment_id integer, _event_ids uuid[])
RETURNS integer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Moves events of an environment from the queue to its feed, and to the feeds of the banks that see
-- the contribution.
DECLARE
  _company_id uuid;
  _rows jsonb;
  _bank_id integer;
BEGIN
  -- A created event that is still queued goes first, whatever the clocks say: a contribution's other
  -- events were written after its created event was committed, so these statements see it.
  SELECT array_agg(q.event_id)
    FROM event_queue q
   WHERE q.environment_id = _environment_id
     AND (q.event_id = ANY (_event_ids) OR q.event_id IN (
       SELECT c.event_id
         FROM events o
         JOIN events c ON c.environment_id = _environment_id AND c.transaction_id = o.transaction_id
          AND c.type = 'contribution.created'
        WHERE o.environment_id = _environment_id AND o.event_id = ANY (_event_ids)))
    INTO _event_ids;
  IF _event_ids IS NULL THEN
    RETURN 0;
  END IF;
  DELETE FROM event_queue q WHERE q.environment_id = _environment_id AND q.event_id = ANY (_event_ids);
  SELECT e.company_id FROM environments e WHERE e.environment_id = _environment_id INTO _company_id;

  SELECT jsonb_agg(to_jsonb(part) ORDER BY part.place, part.type <> 'contribution.created', part.event_id)
    FROM (
      SELECT e.event_id, e.environment_id AS owner_environment_id, e.transaction_id, e.type, e.recorded_at,
             e.actor_environment_id, t.idempotency_key,
             GREATEST(e.recorded_at, min(e.recorded_at) FILTER (WHERE e.type = 'contribution.created')
               OVER (PARTITION BY e.transaction_id)) AS place,
             jsonb_build_object('company_id', _company_id, 'project_id', t.project_id,
               'amount_cents', t.amount_cents) AS data,
             CASE WHEN e.type = 'contribution.created' THEN '{}'::jsonb
                  ELSE (e.evidence - 'amount_cents') || jsonb_strip_nulls(
                    jsonb_build_object('stated_amount_cents', e.evidence -> 'amount_cents')) END AS evidence,
             -- The rules of contribution-rights.ts, at the time of the event.
             ARRAY(
               SELECT DISTINCT l.bank_environment_id FROM bank_links l
                WHERE l.environment_id = _environment_id AND l.bank_environment_id > 0
                  AND l.linked_at <= e.recorded_at
                  AND (((l.unlinked_at IS NULL OR e.recorded_at < l.unlinked_at)
                        AND (t.completed_at IS NULL OR t.completed_at >= l.linked_at))
                       OR (t.created_at >= l.linked_at AND t.created_at < l.unlinked_at)
                       OR (l.bank_environment_id = t.completed_by_environment_id
                           AND e.recorded_at >= t.completed_at))
             ) AS audience
        FROM events e
        JOIN transactions t ON t.environment_id = e.environment_id AND t.transaction_id = e.transaction_id
       WHERE e.environment_id = _environment_id AND e.event_id = ANY (_event_ids)
    ) AS part
    INTO _rows;
  IF jsonb_array_length(_rows) IS DISTINCT FROM cardinality(_event_ids) THEN
    RAISE EXCEPTION 'environment % has a queued event that does not exist', _environment_id;
  END IF;
  PERFORM append_to_feed(_environment_id, _rows);
  FOR _bank_id IN
    SELECT DISTINCT bank.id::integer
      FROM jsonb_array_elements(_rows) AS r (event)
     CROSS JOIN jsonb_array_elements_text(r.event -> 'audience') AS bank (id)
     ORDER BY 1
  LOOP
    PERFORM append_to_feed(_bank_id, (
      SELECT jsonb_agg(r.event ORDER BY r.position)
        FROM jsonb_array_elements(_rows) WITH ORDINALITY AS r (event, position)
       WHERE r.event -> 'audience' @> to_jsonb(_bank_id)));
  END LOOP;
  RETURN jsonb_array_length(_rows);
END $$`;

/** Whether this transaction may write the feeds. One transaction at a time has the turn. */
const takeTurn = `pg_try_advisory_xact_lock(1179010376, 1)`;

const relayEvents = `
CREATE FUNCTION relay_events(_most integer, OUT has_turn boolean, OUT event_count integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Moves the oldest queued events to the feeds, unless another relay is doing so. The caller commits
-- all of it or nothing, so numbers have no gaps.
DECLARE
  _environment_id integer;
  _event_ids uuid[];
BEGIN
  event_count := 0;
  has_turn := ${takeTurn};
  IF NOT has_turn THEN
    RETURN;
  END IF;
  FOR _environment_id, _event_ids IN
    SELECT oldest.environment_id, array_agg(oldest.event_id)
      FROM (
        SELECT q.environment_id, q.event_id FROM event_queue q ORDER BY q.queued_at, q.event_id LIMIT _most
      ) AS oldest
     GROUP BY oldest.environment_id
     ORDER BY oldest.environment_id
  LOOP
    event_count := event_count + relay_events_of(_environment_id, _event_ids);
  END LOOP;
END $$`;

const expireFeedEvents = `
CREATE FUNCTION expire_feed_events(_most integer)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Deletes events that were in a feed for 180 days, from the front of each feed.
DECLARE
  _environment_id integer;
  _first bigint;
  _next bigint;
  _count integer := 0;
BEGIN
  IF NOT ${takeTurn} THEN
    RETURN 0;
  END IF;
  FOR _environment_id, _first, _next IN
    SELECT f.environment_id, f.first_sequence, LEAST(f.first_sequence + _most, f.last_sequence + 1)
      FROM feeds f
     WHERE f.oldest_written_at < clock_timestamp() - interval '180 days'
     ORDER BY f.oldest_written_at
     LIMIT 10
  LOOP
    SELECT COALESCE(min(k.sequence), _next) FROM feed_events k
     WHERE k.environment_id = _environment_id AND k.sequence >= _first AND k.sequence < _next
       AND k.written_at >= clock_timestamp() - interval '180 days'
      INTO _next;
    DELETE FROM feed_events d
     WHERE d.environment_id = _environment_id AND d.sequence >= _first AND d.sequence < _next;
    UPDATE feeds f
       SET first_sequence = _next,
           oldest_written_at = (SELECT k.written_at FROM feed_events k
                                 WHERE k.environment_id = _environment_id AND k.sequence = _next)
     WHERE f.environment_id = _environment_id;
    _count := _count + (_next - _first)::integer;
  END LOOP;
  RETURN _count;
END $$`;

const called = 'relay_events(integer), expire_feed_events(integer)';
const internal = 'append_to_feed(integer, jsonb), relay_events_of(integer, uuid[])';

export async function up(knex: Knex): Promise<void> {
  for (const definition of [appendToFeed, relayEventsOf, relayEvents, expireFeedEvents]) {
    await knex.raw(definition);
  }
  await knex.raw(`REVOKE ALL ON FUNCTION ${called}, ${internal} FROM PUBLIC`);
  // They run with the privileges of the owner: the service reads no events and writes no feed.
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${called} TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP FUNCTION ${called}, ${internal}`);
}
