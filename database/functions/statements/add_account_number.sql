CREATE OR REPLACE FUNCTION add_account_number(
  _environment_id integer, _account_id uuid, _other_id uuid, _reason text, _decided_by text
) RETURNS text LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Says that the number of another account is a further number of this account. Returns 'added', 'same' (it was
-- added before), or why not: 'no_account', 'has_statements' (statements of the other account count),
-- 'has_numbers' (one of them already stands for another account, or others for it), 'upload_in_progress'.
DECLARE
  _accounts integer;
BEGIN
  -- In the order of the ids, so that two calls never wait for each other.
  PERFORM FROM statement_accounts a
    WHERE a.environment_id = _environment_id AND a.account_id IN (_account_id, _other_id)
    ORDER BY a.account_id
      FOR NO KEY UPDATE;
  GET DIAGNOSTICS _accounts = ROW_COUNT;
  IF _accounts < 2 THEN
    RETURN 'no_account';
  END IF;
  IF EXISTS (
    SELECT FROM account_numbers n
      JOIN statement_accounts a ON a.environment_id = n.environment_id AND a.account_hmac = n.account_hmac
     WHERE n.environment_id = _environment_id AND n.account_id = _account_id AND a.account_id = _other_id
  ) THEN
    RETURN 'same';
  END IF;
  IF EXISTS (SELECT FROM account_numbers n WHERE n.environment_id = _environment_id AND n.account_id = _other_id)
     OR EXISTS (
       SELECT FROM account_numbers n
         JOIN statement_accounts a ON a.environment_id = n.environment_id AND a.account_hmac = n.account_hmac
        WHERE n.environment_id = _environment_id AND a.account_id IN (_account_id, _other_id)) THEN
    RETURN 'has_numbers';
  END IF;
  IF EXISTS (SELECT FROM bank_statements s
              WHERE s.environment_id = _environment_id AND s.account_id = _other_id AND s.voided_at IS NULL) THEN
    RETURN 'has_statements';
  END IF;
  -- An upload that is being read has looked up its accounts already.
  IF EXISTS (SELECT FROM statement_uploads u
              WHERE u.environment_id = _environment_id AND u.state IN ('received', 'reading')) THEN
    RETURN 'upload_in_progress';
  END IF;
  INSERT INTO account_numbers (environment_id, account_hmac, account_id, reason, decided_by)
  SELECT _environment_id, a.account_hmac, _account_id, _reason, _decided_by
    FROM statement_accounts a
   WHERE a.environment_id = _environment_id AND a.account_id = _other_id;
  RETURN 'added';
END $$;
