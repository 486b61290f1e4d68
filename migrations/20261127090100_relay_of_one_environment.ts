import type { Knex } from 'knex';

/**
 * The relay waits for changes of links and for resets. It decides who gets an event by the links at
 * the time of the event, and does not see a link that has begun but is not committed.
 *
 * Operators hold the second lock while they change a link, and a reset holds the third.
 */
const takeTurn = `pg_try_advisory_xact_lock(1179010376, 1)`;
const takeTurnWithLinks = `${takeTurn} AND pg_try_advisory_xact_lock_shared(1179010376, 2)
    AND pg_try_advisory_xact_lock_shared(hashtextextended('environments', 0))`;

const relayEvents = (turn: string): string => `
CREATE OR REPLACE FUNCTION relay_events(_most integer, OUT has_turn boolean, OUT event_count integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Moves the oldest queued events to the feeds, unless another relay is doing so. The caller commits
-- all of it or nothing, so numbers have no gaps.
DECLARE
  _environment_id integer;
  _event_ids uuid[];
BEGIN
  event_count := 0;
  has_turn := ${turn};
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

const relayEnvironmentEvents = `
CREATE FUNCTION relay_environment_events(_environment_id integer, _most integer, OUT has_turn boolean, OUT event_count integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Moves the oldest queued events of one environment to the feeds. Use it when relay_events fails, so
-- that an environment whose server is unavailable does not hold back the others.
DECLARE
  _event_ids uuid[];
BEGIN
  event_count := 0;
  has_turn := ${takeTurnWithLinks};
  IF NOT has_turn THEN
    RETURN;
  END IF;
  SELECT array_agg(oldest.event_id)
    FROM (
      SELECT q.event_id FROM event_queue q
       WHERE q.environment_id = _environment_id ORDER BY q.queued_at, q.event_id LIMIT _most
    ) AS oldest
    INTO _event_ids;
  IF _event_ids IS NOT NULL THEN
    event_count := relay_events_of(_environment_id, _event_ids);
  END IF;
END $$`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(relayEvents(takeTurnWithLinks));
  await knex.raw(relayEnvironmentEvents);
  await knex.raw('REVOKE ALL ON FUNCTION relay_environment_events(integer, integer) FROM PUBLIC');
  await knex.raw(
    'GRANT EXECUTE ON FUNCTION relay_environment_events(integer, integer) TO contribution_service',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION relay_environment_events(integer, integer)');
  await knex.raw(relayEvents(takeTurn));
}
