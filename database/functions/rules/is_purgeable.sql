CREATE OR REPLACE FUNCTION is_purgeable(_retired_at timestamptz) RETURNS boolean LANGUAGE sql VOLATILE AS $$
-- Whether a reset retired the environment a week ago, by the clock of the server. Only then may its
-- rows be deleted. Null if no reset did.
SELECT _retired_at < clock_timestamp() - interval '7 days'
$$;
