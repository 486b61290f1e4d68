CREATE OR REPLACE FUNCTION remove_account_number(_environment_id integer, _account_id uuid, _other_id uuid)
RETURNS text LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Takes back that the number of another account is a further number of this account. Idempotent. Returns 'removed',
-- 'same' (it is no further number), or why not: 'no_account', 'has_statements' (statements that came since it was
-- added count, and may be of the number), 'upload_in_progress'.
DECLARE
  _number record;
BEGIN
  -- In the order of the ids, so that two calls never wait for each other.
  PERFORM FROM statement_accounts a
    WHERE a.environment_id = _environment_id AND a.account_id IN (_account_id, _other_id)
    ORDER BY a.account_id
      FOR NO KEY UPDATE;
  SELECT n.account_hmac, n.account_id, n.decided_at FROM statement_accounts a
    LEFT JOIN account_numbers n ON n.environment_id = a.environment_id AND n.account_hmac = a.account_hmac
                               AND n.account_id = _account_id
   WHERE a.environment_id = _environment_id AND a.account_id = _other_id
    INTO _number;
  IF NOT FOUND THEN
    RETURN 'no_account';
  END IF;
  IF _number.account_id IS NULL THEN
    RETURN 'same';
  END IF;
  -- An upload that is being read has looked up its accounts already.
  IF EXISTS (SELECT FROM statement_uploads u
              WHERE u.environment_id = _environment_id AND u.state IN ('received', 'reading')) THEN
    RETURN 'upload_in_progress';
  END IF;
  IF EXISTS (
    SELECT FROM bank_statements s
      JOIN statement_uploads u ON u.environment_id = s.environment_id AND u.upload_id = s.file_id
     WHERE s.environment_id = _environment_id AND s.account_id = _account_id AND s.voided_at IS NULL
       AND u.ended_at > _number.decided_at
  ) THEN
    RETURN 'has_statements';
  END IF;
  DELETE FROM account_numbers n
   WHERE n.environment_id = _environment_id AND n.account_hmac = _number.account_hmac;
  RETURN 'removed';
END $$;
