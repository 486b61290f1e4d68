import type { Knex } from 'knex';

const countContributionsOf = `
CREATE FUNCTION count_contributions_of(_environment_id integer, _until timestamptz, _most integer)
RETURNS integer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Adds the next events of a feed to the totals of its environment, up to the first event that was
-- recorded at or after _until. Returns the number of events.
DECLARE
  _from bigint;
  _to bigint;
  _changes timestamptz[];
  _cells jsonb;
BEGIN
  SELECT GREATEST(f.first_sequence - 1, COALESCE(c.sequence, 0))
    FROM feeds f
    LEFT JOIN contribution_totals_counted c ON c.environment_id = f.environment_id
   WHERE f.environment_id = _environment_id
    INTO _from;
  SELECT COALESCE(min(k.sequence) FILTER (WHERE k.recorded_at >= _until) - 1, max(k.sequence))
    FROM (SELECT e.sequence, e.recorded_at FROM feed_events e
           WHERE e.environment_id = _environment_id AND e.sequence > _from
           ORDER BY e.sequence LIMIT _most) k
    INTO _to;
  IF _to IS NULL OR _to <= _from THEN
    RETURN 0;
  END IF;
  -- The times at which the set of callers that see a contribution may change.
  SELECT array_agg(l.linked_at) || COALESCE(array_agg(l.unlinked_at) FILTER (WHERE l.unlinked_at IS NOT NULL), '{}')
    FROM bank_links l WHERE l.environment_id = _environment_id
    INTO _changes;

  SELECT jsonb_agg(to_jsonb(cell))
    FROM (
      SELECT part.basis, part.day, fact.project_id, part.completed_by, part.created_since, part.completed_since,
             sum(part.contributions) AS contributions, sum(part.contributions * fact.amount_cents) AS amount_cents,
             sum(part.returned_cents) AS returned_cents
        FROM (
          SELECT t.project_id, t.amount_cents, t.value_date, t.completed_by_environment_id AS completed_by,
                 (t.created_at AT TIME ZONE 'UTC')::date AS created_on,
                 (t.completed_at AT TIME ZONE 'UTC')::date AS completed_on,
                 COALESCE((SELECT max(c.at) FROM unnest(_changes) AS c (at) WHERE c.at <= t.created_at), '-infinity')
                   AS created_since,
                 COALESCE((SELECT max(c.at) FROM unnest(_changes) AS c (at) WHERE c.at <= t.completed_at), '-infinity')
                   AS completed_since,
                 (e.type = 'contribution.created')::integer AS created,
                 (e.type = 'contribution.completed')::integer AS completed,
                 CASE e.type WHEN 'contribution.returned' THEN (e.evidence ->> 'amount_cents')::bigint
                             WHEN 'contribution.return_undone' THEN -(e.evidence ->> 'amount_cents')::bigint
                             ELSE 0 END AS returned_cents
            FROM feed_events k
            JOIN events e ON e.environment_id = k.environment_id AND e.event_id = k.event_id
            JOIN transactions t ON t.environment_id = e.environment_id AND t.transaction_id = e.transaction_id
           WHERE k.environment_id = _environment_id AND k.sequence > _from AND k.sequence <= _to
             AND k.owner_environment_id = _environment_id
        ) AS fact
       CROSS JOIN LATERAL (VALUES
          ('created', fact.created_on, 0, fact.created_since, timestamptz '-infinity',
           fact.created - fact.completed, 0),
          ('created', fact.created_on, fact.completed_by, fact.created_since, fact.completed_since,
           fact.completed, fact.returned_cents),
          ('completed', fact.completed_on, fact.completed_by, fact.created_since, fact.completed_since,
           fact.completed, fact.returned_cents),
          ('value_date', fact.value_date, fact.completed_by, fact.created_since, fact.completed_since,
           fact.completed, fact.returned_cents)
       ) AS part (basis, day, completed_by, created_since, completed_since, contributions, returned_cents)
       WHERE part.day IS NOT NULL AND (part.contributions, part.returned_cents) <> (0, 0)
       GROUP BY part.basis, part.day, fact.project_id, part.completed_by, part.created_since, part.completed_since
    ) AS cell
    INTO _cells;
  INSERT INTO contribution_totals AS present
    (environment_id, basis, day, project_id, completed_by_environment_id, created_since, completed_since,
     contributions, amount_cents, returned_cents)
  SELECT _environment_id, r.basis, r.day, r.project_id, r.completed_by, r.created_since, r.completed_since,
         r.contributions, r.amount_cents, r.returned_cents
    FROM jsonb_to_recordset(COALESCE(_cells, '[]')) AS r (
      basis text, day date, project_id integer, completed_by integer, created_since timestamptz,
      completed_since timestamptz, contributions bigint, amount_cents bigint, returned_cents bigint)
  ON CONFLICT ON CONSTRAINT contribution_totals_pkey DO UPDATE
     SET contributions = present.contributions + EXCLUDED.contributions,
         amount_cents = present.amount_cents + EXCLUDED.amount_cents,
         returned_cents = present.returned_cents + EXCLUDED.returned_cents;
  INSERT INTO contribution_totals_counted (environment_id, sequence) VALUES (_environment_id, _to)
  ON CONFLICT ON CONSTRAINT contribution_totals_counted_pkey DO UPDATE SET sequence = EXCLUDED.sequence;
  RETURN _to - _from;
END $$`;

const countContributions = `
CREATE FUNCTION count_contributions(_most integer, _horizon timestamptz, OUT event_count integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- Adds events of all feeds to the totals, unless another process is doing so. Every contribution
-- that changed before _horizon is visible. If the result is less than _most, no events are waiting.
DECLARE
  -- A link gets its time before it commits. This leaves the events after that time for the next run.
  _until timestamptz := clock_timestamp() - interval '5 seconds';
  _environment_id integer;
  _oldest_queued_at timestamptz;
BEGIN
  event_count := 0;
  IF NOT pg_try_advisory_xact_lock(1179010376, 2) THEN
    RETURN;
  END IF;
  -- A link that starts or ends now may have a time before _until that the statements below do not see.
  IF EXISTS (
    SELECT FROM pg_locks l
     WHERE l.locktype = 'relation' AND l.relation = 'bank_links'::regclass AND l.mode = 'RowExclusiveLock'
       AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
       AND l.pid IS DISTINCT FROM pg_backend_pid()) THEN
    RETURN;
  END IF;
  FOR _environment_id IN
    SELECT f.environment_id
      FROM feeds f
      LEFT JOIN contribution_totals_counted c ON c.environment_id = f.environment_id
     WHERE f.last_sequence > COALESCE(c.sequence, 0)
     ORDER BY f.environment_id
  LOOP
    event_count := event_count + count_contributions_of(_environment_id, _until, _most - event_count);
    IF event_count >= _most THEN
      RETURN;
    END IF;
  END LOOP;
  -- An event is queued in the statement that changes the contribution, which takes a minute at most.
  SELECT min(q.queued_at) FROM event_queue q INTO _oldest_queued_at;
  INSERT INTO contribution_totals_turn AS t (complete_until)
  VALUES (LEAST(_horizon, LEAST(_until, _oldest_queued_at) - interval '1 minute'))
      ON CONFLICT (only_row) DO UPDATE SET complete_until = GREATEST(t.complete_until, excluded.complete_until);
END $$`;

const called = 'count_contributions(integer, timestamptz)';
const internal = 'count_contributions_of(integer, timestamptz, integer)';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(countContributionsOf);
  await knex.raw(countContributions);
  await knex.raw(`REVOKE ALL ON FUNCTION ${called}, ${internal} FROM PUBLIC`);
  // It runs with the privileges of the owner: the service writes no totals.
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${called} TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP FUNCTION ${called}, ${internal}`);
}
