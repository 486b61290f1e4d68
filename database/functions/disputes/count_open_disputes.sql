CREATE OR REPLACE FUNCTION count_open_disputes(
  OUT environment_kind text, OUT kind text, OUT under_1_day integer, OUT over_1_day integer
) RETURNS SETOF record LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
-- The contributions with an open dispute, for the service, which reads neither the events nor the
-- audit log. The age of a dispute is that of its last event.
BEGIN
  RETURN QUERY
  SELECT e.kind, d.kind, (count(*) FILTER (WHERE d.is_new))::integer,
         (count(*) FILTER (WHERE NOT d.is_new))::integer
    FROM (SELECT v.kind, v.environment_id, max(v.recorded_at) > now() - interval '1 day' AS is_new
            FROM disputed_events(NULL) v
           GROUP BY v.kind, v.environment_id, v.transaction_id) d
    JOIN environments e ON e.environment_id = d.environment_id
   GROUP BY e.kind, d.kind;
END $$;
