import type { Knex } from 'knex';

/** Counts one feed. Use it when count_contributions fails because a server is unavailable. */
const countOfOne = `
CREATE FUNCTION count_environment_contributions(_environment_id integer, _most integer, OUT event_count integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Adds events of one feed to the totals of its environment. It leaves complete_until alone, which is
-- a promise about all environments.
BEGIN
  event_count := 0;
  IF NOT pg_try_advisory_xact_lock(1179010376, 2) THEN
    RETURN;
  END IF;
  -- As in count_contributions.
  IF EXISTS (
    SELECT FROM pg_locks l
     WHERE l.locktype = 'relation' AND l.relation = 'bank_links'::regclass AND l.mode = 'RowExclusiveLock'
       AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
       AND l.pid IS DISTINCT FROM pg_backend_pid()) THEN
    RETURN;
  END IF;
  event_count := count_contributions_of(_environment_id, clock_timestamp() - interval '5 seconds', _most);
END $$`;

/** Expires events of one feed. Use it when expire_feed_events fails. */
const expireOfOne = `
CREATE FUNCTION expire_environment_events(_environment_id integer, _most integer)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Deletes counted events that were in the feed of an environment for 180 days, from its front.
DECLARE
  _first bigint;
  _next bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(1179010376, 1) THEN
    RETURN 0;
  END IF;
  SELECT f.first_sequence, LEAST(f.first_sequence + _most, f.last_sequence + 1, c.sequence + 1)
    FROM feeds f
    JOIN contribution_totals_counted c
      ON c.environment_id = f.environment_id AND c.sequence >= f.first_sequence
   WHERE f.environment_id = _environment_id AND f.oldest_written_at < clock_timestamp() - interval '180 days'
    INTO _first, _next;
  IF _first IS NULL THEN
    RETURN 0;
  END IF;
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
  RETURN (_next - _first)::integer;
END $$`;

const signatures = [
  'count_environment_contributions(integer, integer)',
  'expire_environment_events(integer, integer)',
].join(', ');

export async function up(knex: Knex): Promise<void> {
  await knex.raw(countOfOne);
  await knex.raw(expireOfOne);
  await knex.raw(`REVOKE ALL ON FUNCTION ${signatures} FROM PUBLIC`);
  // They run with the privileges of the owner: the service writes no totals and deletes no events.
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${signatures} TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP FUNCTION ${signatures}`);
}
