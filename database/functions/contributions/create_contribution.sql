CREATE OR REPLACE FUNCTION create_contribution(
  _environment_id integer, _transaction_id text, _project_id bigint, _amount_cents bigint, _user_hash text,
  _first_name text, _idempotency_key text, _api_key text, _event_id uuid,
  OUT created_id text, OUT earlier_id text, OUT same_request boolean, OUT is_suspended boolean,
  OUT project_status text
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Records a contribution, its user and its event, or finds the earlier contribution with the same
-- idempotency key. If only the last two results have values, a concurrent create won and nothing
-- was recorded: call it again. If only same_request has a value, the company is frozen.
DECLARE
  _user_id bigint;
  _known_name text;
BEGIN
  -- One snapshot for all. A suspension, a freeze or an archiving that commits later comes after this
  -- create.
  SELECT CASE WHEN c.frozen_at IS NOT NULL THEN false END,
         CASE WHEN c.frozen_at IS NULL THEN c.suspended_at IS NOT NULL END,
         CASE WHEN c.frozen_at IS NULL THEN p.status END
    FROM environments e
    JOIN companies c ON c.company_id = e.company_id
    LEFT JOIN projects p ON p.project_id = _project_id
   WHERE e.environment_id = _environment_id AND e.retired_at IS NULL
    INTO same_request, is_suspended, project_status;
  -- The company is frozen, or the environment was reset: then all results are null. A reset that
  -- commits later comes after this create.
  IF is_suspended IS NULL THEN
    RETURN;
  END IF;

  -- A create with the same key that commits after this snapshot makes the INSERT below fail as a
  -- whole, because of transactions_idempotency_key_key.
  IF _idempotency_key IS NOT NULL THEN
    SELECT t.transaction_id,
           -- A forgotten user has no hash to compare, so only project and amount are compared.
           t.project_id = _project_id AND t.amount_cents = _amount_cents
             AND (u.forgotten_at IS NOT NULL OR u.user_hash IS NOT DISTINCT FROM _user_hash)
      FROM transactions t
      JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id
     WHERE t.environment_id = _environment_id AND t.idempotency_key = _idempotency_key
       -- A row lock is a write, so a repeated response also waits for the synchronous standby.
       FOR KEY SHARE OF t
      INTO earlier_id, same_request;
  END IF;
  IF earlier_id IS NOT NULL OR is_suspended OR project_status IS DISTINCT FROM 'active' THEN
    RETURN;
  END IF;

  SELECT u.user_id, u.first_name FROM users u
   WHERE u.environment_id = _environment_id AND u.user_hash = _user_hash
    INTO _user_id, _known_name;
  IF _user_id IS NULL THEN
    -- Waits for a create that is inserting the same user. If that one commits, nothing is inserted.
    INSERT INTO users (environment_id, user_hash, first_name)
    VALUES (_environment_id, _user_hash, _first_name)
    ON CONFLICT ON CONSTRAINT users_user_hash_key DO NOTHING
    RETURNING user_id INTO _user_id;
    IF _user_id IS NULL THEN
      RETURN;
    END IF;
  ELSIF _first_name IS NOT NULL AND _known_name IS DISTINCT FROM _first_name THEN
    -- By hash: a user who is being forgotten has none afterwards, and gets no name.
    UPDATE users u SET first_name = _first_name
     WHERE u.environment_id = _environment_id AND u.user_hash = _user_hash;
  END IF;

  INSERT INTO transactions
    (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status, idempotency_key,
     created_by_api_key, created_at)
  VALUES
    (_environment_id, _transaction_id, _user_id, _project_id, _amount_cents, 'USD', 'pending', _idempotency_key,
     _api_key, clock_timestamp());
  INSERT INTO events
    (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
  VALUES
    (_environment_id, _event_id, _transaction_id, 'contribution.created', _environment_id, _api_key,
     jsonb_build_object('project_id', _project_id, 'amount_cents', _amount_cents));
  INSERT INTO event_queue (environment_id, event_id, queued_at) VALUES (_environment_id, _event_id, clock_timestamp());
  created_id := _transaction_id;
END $$;
