CREATE OR REPLACE FUNCTION disputed_events(
  _transaction_id text,
  OUT kind text, OUT environment_id integer, OUT transaction_id text, OUT actor_environment_id integer,
  OUT evidence jsonb, OUT recorded_at timestamptz
) RETURNS SETOF record LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
-- The events that make a dispute, as long as no operator has resolved it: those of one contribution,
-- or all of them if _transaction_id is null. A resolution is the entry of its command in the audit log.
-- It covers the events up to its `refused_until`, which its operator has seen. Earlier releases called
-- the commands `transactions resolve…`, and the audit log never changes.
BEGIN
  RETURN QUERY
  WITH kinds (kind, type, command) AS (
    VALUES ('amount_mismatch', 'contribution.completion_refused', 'contributions resolve'),
           ('contested_completion', 'contribution.completion_contested', 'contributions resolve-contested'),
           ('repeated_after_return', 'contribution.completion_repeated', 'contributions resolve-repeated')
  ),
  resolved AS (
    SELECT k.type, a.target AS transaction_id, max((a.result ->> 'refused_until')::timestamptz) AS until
      FROM operator_actions a
      JOIN kinds k ON a.command IN (k.command, replace(k.command, 'contributions', 'transactions'))
     WHERE _transaction_id IS NULL OR a.target = _transaction_id
     GROUP BY k.type, a.target
  )
  SELECT k.kind, v.environment_id, v.transaction_id, v.actor_environment_id, v.evidence, v.recorded_at
    FROM events v
    JOIN transactions t ON t.environment_id = v.environment_id AND t.transaction_id = v.transaction_id
    JOIN environments e ON e.environment_id = v.environment_id
    JOIN kinds k ON k.type = v.type
    LEFT JOIN resolved r ON r.type = v.type AND r.transaction_id = v.transaction_id
   -- The condition of the index events_of_disputes.
   WHERE (v.type IN ('contribution.completion_refused', 'contribution.completion_contested')
          OR (v.type = 'contribution.completion_repeated' AND v.evidence ? 'net_amount_is_zero'))
     -- The party that contested has completed it since.
     AND (v.type <> 'contribution.completion_contested'
          OR v.actor_environment_id IS DISTINCT FROM t.completed_by_environment_id OR t.corrected_at IS NOT NULL)
     AND v.recorded_at > COALESCE(r.until, '-infinity')
     AND e.retired_at IS NULL
     AND (_transaction_id IS NULL
          OR (v.transaction_id = _transaction_id AND e.transaction_tag = left(_transaction_id, 4)));
END $$;
