CREATE OR REPLACE FUNCTION record_operator_action(
  action_id uuid, claimed_operator text, command text, target text, arguments jsonb, result jsonb
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  last_position bigint;
  last_hash bytea;
  recorded_at timestamptz;
BEGIN
  -- Held until the end of the transaction. No other role can take it, and readers do not wait for it.
  LOCK TABLE public.operator_actions IN SHARE ROW EXCLUSIVE MODE;
  -- A statement of its own: it sees what the holder before has committed.
  SELECT a."position", a.hash INTO last_position, last_hash
    FROM public.operator_actions a ORDER BY a."position" DESC LIMIT 1;
  last_position := COALESCE(last_position, 0) + 1;
  last_hash := COALESCE(last_hash, decode(repeat('00', 32), 'hex'));
  recorded_at := clock_timestamp();
  INSERT INTO public.operator_actions
         (action_id, acted_at, database_role, claimed_operator, command, target, arguments, result, "position",
          previous_hash, hash)
  VALUES (action_id, recorded_at, session_user, claimed_operator, command, target, arguments, result, last_position,
          last_hash,
          public.operator_action_hash(last_hash, last_position, action_id, recorded_at, session_user, claimed_operator,
                                      command, target, arguments, result));
  RETURN last_position;
END $$;
