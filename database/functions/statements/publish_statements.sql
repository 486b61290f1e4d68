CREATE OR REPLACE FUNCTION publish_statements(_environment_id integer, _statements jsonb, _days jsonb)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Makes statements count whose lines are all stored, and queues their days. Idempotent: an upload that
-- was interrupted is repeated with the same ids.
BEGIN
  INSERT INTO bank_statements
    (environment_id, statement_id, file_id, account_id, format, is_final, bank_id, number, made_at, first_day,
     last_day, start_ms, end_ms, is_period_stated, covers_to, opening_cents, closing_cents, change_cents,
     is_damaged, page_number, is_last_page, digest)
  SELECT _environment_id, n.statement_id, n.file_id, n.account_id, n.format, n.is_final, n.bank_id, n.number,
         n.made_at, n.first_day, n.last_day, n.start_ms, n.end_ms, n.is_period_stated, n.covers_to,
         n.opening_cents, n.closing_cents, n.change_cents, n.is_damaged, n.page_number, n.is_last_page, n.digest
    FROM jsonb_to_recordset(_statements) AS n (
      statement_id uuid, file_id uuid, account_id uuid, format text, is_final boolean, bank_id text,
      number numeric, made_at text, first_day date, last_day date, start_ms integer, end_ms integer,
      is_period_stated boolean, covers_to date, opening_cents bigint, closing_cents bigint, change_cents numeric,
      is_damaged boolean, page_number integer, is_last_page boolean, digest text)
  ON CONFLICT ON CONSTRAINT bank_statements_pkey DO NOTHING;
  INSERT INTO statement_days
    (environment_id, account_id, day, statement_id, before_cents, change_cents)
  SELECT _environment_id, n.account_id, n.day, n.statement_id, n.before_cents, n.change_cents
    FROM jsonb_to_recordset(_days) AS n (
      account_id uuid, day date, statement_id uuid, before_cents numeric, change_cents numeric)
  ON CONFLICT ON CONSTRAINT statement_days_pkey DO NOTHING;
  -- The next generation, so that a process that compares the day stores nothing any more.
  INSERT INTO account_days AS d (environment_id, account_id, day, is_changed)
  SELECT DISTINCT _environment_id, n.account_id, n.day, true
    FROM jsonb_to_recordset(_days) AS n (account_id uuid, day date)
   ORDER BY n.account_id, n.day
  ON CONFLICT ON CONSTRAINT account_days_pkey
  DO UPDATE SET is_changed = true, generation = d.generation + 1, claimed_until = NULL;
END $$;
