CREATE OR REPLACE FUNCTION complete_contributions_of(
  _environment_id integer, _caller_id integer, _api_key text, _transaction_ids text[],
  _amounts_cents bigint[], _bank_references text[], _value_dates date[], _event_ids uuid[],
  _is_dry_run boolean,
  OUT outcomes text[]
) LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Completes transactions of an environment, each id at most once, in the order of the ids, which is
-- also that of the results:
-- completed, replayed
-- unknown               the caller cannot see such a transaction
-- reserved_for_bank, contested, amount_differs
-- null                  a concurrent call completed the transaction: complete it again
DECLARE
  _may_see boolean;
  _user_ids bigint[];
  _at integer;
  _outcome text;
BEGIN
  BEGIN
    outcomes := array_fill(NULL::text, ARRAY[cardinality(_transaction_ids)]);
    -- A caller without any right to this environment locks nothing, so that it delays nobody.
    SELECT _environment_id = _caller_id OR EXISTS (
             SELECT FROM bank_links l
              WHERE l.environment_id = _environment_id AND l.bank_environment_id = _caller_id
                AND l.voided_at IS NULL)
      INTO _may_see;
    -- Two sets, or a set and a single call, must not wait for each other. Every completion locks its
    -- transaction first and the support of its user and project afterwards. Therefore lock all
    -- transactions in the order of their ids, and then all users in the order of theirs. Only one set
    -- at a time changes the supports of a user. A single call does not wait for this lock.
    IF _may_see THEN
      SELECT array_agg(t.user_id) FILTER (WHERE t.may_change)
        FROM (
          SELECT p.user_id,
                 p.status = 'pending' OR p.corrected_at IS NOT NULL OR p.returned_cents = p.amount_cents AS may_change
            FROM transactions p
           WHERE p.environment_id = _environment_id AND p.transaction_id = ANY (_transaction_ids)
           ORDER BY p.transaction_id
             FOR NO KEY UPDATE
        ) t
        INTO _user_ids;
      PERFORM FROM users u
        WHERE u.environment_id = _environment_id AND u.user_id = ANY (_user_ids)
        ORDER BY u.user_id
          FOR NO KEY UPDATE;
    END IF;
    FOREACH _at IN ARRAY ARRAY(SELECT generate_subscripts(_transaction_ids, 1)) LOOP
      SELECT CASE
               WHEN c.status_before IS NULL THEN 'unknown'
               WHEN NOT c.is_permitted THEN 'reserved_for_bank'
               WHEN c.is_anothers THEN 'contested'
               WHEN c.amount_differs THEN 'amount_differs'
               WHEN c.is_completed_now THEN 'completed'
               WHEN c.was_completed_before THEN 'replayed'
             END
        FROM complete_contribution_of(_environment_id, _caller_id, _api_key, _transaction_ids[_at],
                                      _amounts_cents[_at], _bank_references[_at], _value_dates[_at],
                                      _event_ids[_at]) c
        INTO _outcome;
      outcomes[_at] := _outcome;
    END LOOP;
    IF _is_dry_run THEN
      -- Rolls back every change. The variables keep their values.
      RAISE EXCEPTION USING ERRCODE = 'CSDRY', MESSAGE = 'dry run';
    END IF;
  EXCEPTION WHEN SQLSTATE 'CSDRY' THEN
    NULL;
  END;
END $$;
