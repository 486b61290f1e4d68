CREATE OR REPLACE FUNCTION settle_support(
  _environment_id integer, _user_id bigint, _project_id integer, _now timestamptz
) RETURNS smallint LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Ends or resumes the support of a user for a project, after the net amount of one of the user's
-- contributions changed. Returns the change of the number of supporters: 1, 0 or -1. The caller has
-- locked the contribution. Contribution, user, support: everything that changes them locks in this order.
DECLARE
  _is_remembered boolean;
  _is_supporter boolean;
BEGIN
  SELECT true FROM users u
   WHERE u.environment_id = _environment_id AND u.user_id = _user_id AND u.forgotten_at IS NULL
     FOR KEY SHARE
    INTO _is_remembered;
  IF _is_remembered IS NULL THEN
    RETURN 0;
  END IF;
  -- Waits for returns and completions of the user's other contributions. The next statement sees
  -- what they committed. If the server's default isolation level forbids that, this update fails
  -- with serialization_failure. A row lock would not fail.
  UPDATE supports s SET ended_at = s.ended_at
   WHERE s.environment_id = _environment_id AND s.user_id = _user_id AND s.project_id = _project_id;
  SELECT EXISTS (
           SELECT FROM transactions t
            WHERE t.environment_id = _environment_id AND t.user_id = _user_id AND t.project_id = _project_id
              AND t.status = 'completed' AND t.returned_cents < t.amount_cents AND t.corrected_at IS NULL)
    INTO _is_supporter;
  UPDATE supports s
     SET ended_at = CASE WHEN NOT _is_supporter THEN GREATEST(_now, s.last_supported_at) END
   WHERE s.environment_id = _environment_id AND s.user_id = _user_id AND s.project_id = _project_id
     AND (s.ended_at IS NULL) <> _is_supporter;
  RETURN CASE WHEN NOT FOUND THEN 0 WHEN _is_supporter THEN 1 ELSE -1 END;
END $$;
