import type { Knex } from 'knex';

import { down as dropFunctions, up as createFunctions } from './20261126000300_relay_functions';
import { up as orderByCause } from './20261127090000_relay_order';
import { down as dropOfOne, up as createOfOne } from './20261127090100_relay_of_one_environment';

/**
 * The relay in a form that Citus accepts too: each function below reads and writes rows of one
 * environment, and runs on the server that has it. `relay_events_of` calls them in one transaction.
 */
const takeQueuedEvents = `
CREATE FUNCTION take_queued_events(_environment_id integer, _event_ids uuid[])
RETURNS jsonb LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Deletes events of an environment from its queue. Returns them in the order of the feeds, each with
-- the banks that see the contribution. Returns null if the queue has none of them.
DECLARE
  _company_id uuid;
  _links jsonb;
  _rows jsonb;
BEGIN
  -- All queued events of a contribution join its batch. An event was written after the commit of its
  -- cause, so these statements see the cause, whatever the clocks say.
  -- The lock waits for a relay whose transaction is prepared on this server and not yet committed.
  SELECT array_agg(queued.event_id)
    FROM (
      SELECT q.event_id FROM event_queue q
       WHERE q.environment_id = _environment_id
         AND (q.event_id = ANY (_event_ids) OR q.event_id IN (
           SELECT c.event_id
             FROM events o
             JOIN events c ON c.environment_id = _environment_id AND c.transaction_id = o.transaction_id
            WHERE o.environment_id = _environment_id AND o.event_id = ANY (_event_ids)))
         FOR UPDATE
    ) AS queued
    INTO _event_ids;
  IF _event_ids IS NULL THEN
    RETURN NULL;
  END IF;
  DELETE FROM event_queue q WHERE q.environment_id = _environment_id AND q.event_id = ANY (_event_ids);
  SELECT e.company_id FROM environments e WHERE e.environment_id = _environment_id INTO _company_id;
  SELECT jsonb_agg(to_jsonb(l)) FROM bank_links l
   WHERE l.environment_id = _environment_id AND l.bank_environment_id > 0
    INTO _links;

  SELECT jsonb_agg(to_jsonb(part) ORDER BY part.place, CASE part.type WHEN 'contribution.created' THEN 0 WHEN 'contribution.completed' THEN 1
             WHEN 'contribution.return_undone' THEN 3 ELSE 2 END, part.recorded_at, part.event_id)
    FROM (
      SELECT e.event_id, e.environment_id AS owner_environment_id, e.transaction_id, e.type, e.recorded_at,
             e.actor_environment_id, t.idempotency_key,
             GREATEST(e.recorded_at, min(e.recorded_at) FILTER (WHERE e.type = 'contribution.created')
               OVER (PARTITION BY e.transaction_id),
               CASE WHEN e.type IN ('contribution.completion_repeated', 'contribution.completion_contested',
                                    'contribution.returned', 'contribution.return_undone')
                    THEN min(e.recorded_at) FILTER (WHERE e.type = 'contribution.completed')
                           OVER (PARTITION BY e.transaction_id) END,
               CASE WHEN e.type = 'contribution.return_undone'
                    THEN min(e.recorded_at) FILTER (WHERE e.type = 'contribution.returned') OVER (
                           PARTITION BY e.transaction_id, COALESCE(e.evidence ->> 'undoes', e.evidence ->> 'return_id')) END
             ) AS place,
             jsonb_build_object('company_id', _company_id, 'project_id', t.project_id,
               'amount_cents', t.amount_cents) AS data,
             CASE WHEN e.type = 'contribution.created' THEN '{}'::jsonb
                  ELSE (e.evidence - 'amount_cents') || jsonb_strip_nulls(
                    jsonb_build_object('stated_amount_cents', e.evidence -> 'amount_cents')) END AS evidence,
             -- The rules of contribution-rights.ts, at the time of the event.
             ARRAY(
               SELECT DISTINCT l.bank_environment_id
                 FROM jsonb_to_recordset(_links)
                   AS l (bank_environment_id integer, linked_at timestamptz, unlinked_at timestamptz)
                WHERE l.linked_at <= e.recorded_at
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
  RETURN _rows;
END $$`;

const appendToFeed = `
CREATE OR REPLACE FUNCTION append_to_feed(_environment_id integer, _rows jsonb)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Numbers the events of an array, in its order, and writes them to the feed of an environment.
DECLARE
  _now timestamptz := statement_timestamp();
  _before bigint;
BEGIN
  INSERT INTO feeds (environment_id) VALUES (_environment_id)
  ON CONFLICT ON CONSTRAINT feeds_pkey DO NOTHING;
  UPDATE feeds f
     SET last_sequence = f.last_sequence + jsonb_array_length(_rows),
         oldest_written_at = COALESCE(f.oldest_written_at, _now)
   WHERE f.environment_id = _environment_id
  RETURNING f.last_sequence - jsonb_array_length(_rows) INTO _before;
  INSERT INTO feed_events
    (environment_id, sequence, event_id, owner_environment_id, transaction_id, type, recorded_at, written_at,
     audience, data)
  SELECT _environment_id, _before + r.position, (r.event ->> 'event_id')::uuid,
         (r.event ->> 'owner_environment_id')::integer, r.event ->> 'transaction_id', r.event ->> 'type',
         (r.event ->> 'recorded_at')::timestamptz, _now,
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
CREATE OR REPLACE FUNCTION relay_events_of(_environment_id integer, _event_ids uuid[])
RETURNS integer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Moves events of an environment from the queue to its feed, and to the feeds of the banks that see
-- the contribution.
DECLARE
  _rows jsonb;
  _bank_id integer;
  _seen jsonb;
BEGIN
  SELECT take_queued_events(_environment_id, _event_ids) INTO _rows;
  IF _rows IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM append_to_feed(_environment_id, _rows);
  FOR _bank_id IN
    SELECT DISTINCT bank.id::integer
      FROM jsonb_array_elements(_rows) AS r (event)
     CROSS JOIN jsonb_array_elements_text(r.event -> 'audience') AS bank (id)
     ORDER BY 1
  LOOP
    SELECT jsonb_agg(r.event ORDER BY r.position)
      FROM jsonb_array_elements(_rows) WITH ORDINALITY AS r (event, position)
     WHERE r.event -> 'audience' @> to_jsonb(_bank_id)
      INTO _seen;
    PERFORM append_to_feed(_bank_id, _seen);
  END LOOP;
  RETURN jsonb_array_length(_rows);
END $$`;

export async function up(knex: Knex): Promise<void> {
  for (const definition of [takeQueuedEvents, appendToFeed, relayEventsOf]) await knex.raw(definition);
  await knex.raw('REVOKE ALL ON FUNCTION take_queued_events(integer, uuid[]) FROM PUBLIC');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION take_queued_events(integer, uuid[])');
  // The functions as they were before.
  await dropOfOne(knex);
  await dropFunctions(knex);
  await createFunctions(knex);
  await orderByCause(knex);
  await createOfOne(knex);
}
