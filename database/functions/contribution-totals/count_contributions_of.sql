CREATE OR REPLACE FUNCTION count_contributions_of(_environment_id integer, _until timestamptz, _most integer)
RETURNS integer
LANGUAGE plpgsql SET search_path = public, pg_temp SET enable_nestloop = off SET jit = off AS $$
-- Adds the next events of a feed to the totals of its environment, up to the first event that was
-- recorded at or after _until. Returns the number of events.
DECLARE
  _from bigint;
  _to bigint;
  _changes timestamptz[];
  _cells jsonb;
  _event_ids uuid[];
  _transaction_ids text[];
BEGIN
  SELECT GREATEST(f.first_sequence - 1, COALESCE(c.sequence, 0))
    FROM feeds f
    LEFT JOIN contribution_totals_counted c ON c.environment_id = f.environment_id
   WHERE f.environment_id = _environment_id
    INTO _from;
  SELECT COALESCE(min(next.sequence) FILTER (WHERE next.recorded_at >= _until) - 1, max(next.sequence))
    FROM (SELECT k.sequence, k.recorded_at FROM feed_events k
           WHERE k.environment_id = _environment_id AND k.sequence > _from
           ORDER BY k.sequence LIMIT _most) AS next
    INTO _to;
  IF _to IS NULL OR _to <= _from THEN
    RETURN 0;
  END IF;
  -- The times at which the set of callers that see a contribution may change.
  SELECT array_agg(l.linked_at) || array_agg(l.unlinked_at)
    FROM bank_links l WHERE l.environment_id = _environment_id
    INTO _changes;

  -- Arrays, and no nested loop: statistics that do not know a new environment otherwise lead to a plan
  -- that reads all its rows for each of its events.
  SELECT array_agg(k.event_id) FROM feed_events k
   WHERE k.environment_id = _environment_id AND k.sequence > _from AND k.sequence <= _to
     AND k.owner_environment_id = _environment_id
    INTO _event_ids;
  SELECT array_agg(DISTINCT e.transaction_id) FROM events e
   WHERE e.environment_id = _environment_id AND e.event_id = ANY (_event_ids)
    INTO _transaction_ids;

  WITH facts AS (
    -- The completion that the event concerns is in the correction that took it back, or still in the
    -- transaction.
    SELECT t.project_id, t.amount_cents, own.value_date, own.completed_by_environment_id AS completed_by,
           (t.created_at AT TIME ZONE 'UTC')::date AS created_on,
           (own.completed_at AT TIME ZONE 'UTC')::date AS completed_on,
           COALESCE((SELECT max(c.at) FROM unnest(_changes) AS c (at) WHERE c.at <= t.created_at), '-infinity')
             AS created_since,
           COALESCE((SELECT max(c.at) FROM unnest(_changes) AS c (at) WHERE c.at <= own.completed_at), '-infinity')
             AS completed_since,
           b.value_date AS earlier_value_date, b.completed_by_environment_id AS earlier_completed_by,
           (b.completed_at AT TIME ZONE 'UTC')::date AS earlier_completed_on,
           (e.type = 'contribution.created')::integer AS created,
           (e.type = 'contribution.completed')::integer AS completed,
           (e.type = 'contribution.completed' AND e.completion > 1)::integer AS again,
           (e.type = 'contribution.corrected')::integer AS corrected,
           CASE e.type WHEN 'contribution.returned' THEN (e.evidence ->> 'amount_cents')::bigint
                       WHEN 'contribution.return_undone' THEN -(e.evidence ->> 'amount_cents')::bigint
                       ELSE 0 END AS returned_cents
      FROM events e
      JOIN transactions t ON t.environment_id = e.environment_id AND t.transaction_id = e.transaction_id
      LEFT JOIN corrections k ON k.environment_id = e.environment_id AND k.transaction_id = e.transaction_id
       AND k.completion = e.completion
      LEFT JOIN corrections b ON b.environment_id = e.environment_id AND b.transaction_id = e.transaction_id
       AND b.completion = e.completion - 1
     CROSS JOIN LATERAL (
       SELECT CASE WHEN k.completion IS NULL THEN t.completed_at ELSE k.completed_at END AS completed_at,
              CASE WHEN k.completion IS NULL THEN t.value_date ELSE k.value_date END AS value_date,
              CASE WHEN k.completion IS NULL THEN t.completed_by_environment_id
                   ELSE k.completed_by_environment_id END AS completed_by_environment_id) AS own
     WHERE e.environment_id = _environment_id AND e.event_id = ANY (_event_ids)
       AND t.environment_id = _environment_id AND t.transaction_id = ANY (_transaction_ids)
  ),
  -- Each fact changes several cells. A completion moves a contribution from the pending ones of its
  -- day of creation, completed by 0, to those of its completer. A correction moves it to the corrected
  -- ones, completed since infinity, and the next completion away from these.
  cells AS (
    SELECT part.basis, part.day, f.project_id, part.completed_by, part.created_since, part.completed_since,
           sum(part.contributions) AS contributions, sum(part.contributions * f.amount_cents) AS amount_cents,
           sum(part.returned_cents) AS returned_cents
      FROM facts f
     CROSS JOIN LATERAL (VALUES
     ('created', f.created_on, 0, f.created_since, timestamptz '-infinity', f.created - f.completed + f.again, 0),
     ('created', f.created_on, f.completed_by, f.created_since, f.completed_since, f.completed - f.corrected, f.returned_cents),
     ('completed', f.completed_on, f.completed_by, f.created_since, f.completed_since, f.completed - f.corrected, f.returned_cents),
     ('value_date', f.value_date, f.completed_by, f.created_since, f.completed_since, f.completed - f.corrected, f.returned_cents),
     ('created', f.created_on, f.completed_by, f.created_since, 'infinity', f.corrected, 0),
     ('completed', f.completed_on, f.completed_by, f.created_since, 'infinity', f.corrected, 0),
     ('value_date', f.value_date, f.completed_by, f.created_since, 'infinity', f.corrected, 0),
     ('created', f.created_on, f.earlier_completed_by, f.created_since, 'infinity', -f.again, 0),
     ('completed', f.earlier_completed_on, f.earlier_completed_by, f.created_since, 'infinity', -f.again, 0),
     ('value_date', f.earlier_value_date, f.earlier_completed_by, f.created_since, 'infinity', -f.again, 0)
     ) AS part (basis, day, completed_by, created_since, completed_since, contributions, returned_cents)
     WHERE part.day IS NOT NULL AND (part.contributions, part.returned_cents) <> (0, 0)
     GROUP BY part.basis, part.day, f.project_id, part.completed_by, part.created_since, part.completed_since
  )
  SELECT jsonb_agg(to_jsonb(c)) FROM cells c INTO _cells;

  INSERT INTO contribution_totals AS present
    (environment_id, basis, day, project_id, completed_by_environment_id, created_since, completed_since,
     contributions, amount_cents, returned_cents)
  SELECT _environment_id, r.basis, r.day, r.project_id, r.completed_by, r.created_since, r.completed_since,
         r.contributions, r.amount_cents, r.returned_cents
    FROM jsonb_to_recordset(_cells) AS r (
      basis text, day date, project_id integer, completed_by integer, created_since timestamptz,
      completed_since timestamptz, contributions bigint, amount_cents bigint, returned_cents bigint)
  ON CONFLICT ON CONSTRAINT contribution_totals_pkey DO UPDATE
     SET contributions = present.contributions + EXCLUDED.contributions,
         amount_cents = present.amount_cents + EXCLUDED.amount_cents,
         returned_cents = present.returned_cents + EXCLUDED.returned_cents;
  INSERT INTO contribution_totals_counted (environment_id, sequence) VALUES (_environment_id, _to)
  ON CONFLICT ON CONSTRAINT contribution_totals_counted_pkey DO UPDATE SET sequence = EXCLUDED.sequence;
  RETURN _to - _from;
END $$;
