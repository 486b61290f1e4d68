CREATE OR REPLACE FUNCTION month_numbers(_environment_id integer, _month date)
RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
-- The balances and terms of each account with a version or lines in a month, in signed cents as text. Opening +
-- terms = closing, if both balances are known, each day follows the one before, and no line is only reported.
DECLARE
  _last CONSTANT date := (_month + interval '1 month - 1 day')::date;
  _numbers jsonb;
BEGIN
  SELECT COALESCE(jsonb_object_agg(n.account_id, to_jsonb(n) - 'account_id'), '{}') FROM (
    SELECT d.account_id, (array_agg(d.opening_cents::text ORDER BY d.day) FILTER (WHERE d.version IS NOT NULL))[1] AS opening,
           COALESCE(min(t.matched), '0') AS matched, COALESCE(min(t.returned), '0') AS returned,
           COALESCE(min(t.charges), '0') AS charges, COALESCE(min(t.ignored), '0') AS ignored,
           COALESCE(min(t.unexplained), '0') AS unexplained,
           (array_agg(d.closing_cents::text ORDER BY d.day DESC) FILTER (WHERE d.version IS NOT NULL))[1] AS closing
      FROM account_days d
      LEFT JOIN (
        SELECT o.account_id, COALESCE(sum(o.term_cents) FILTER (WHERE o.term = 'matched'), 0)::text AS matched,
               COALESCE(sum(o.term_cents) FILTER (WHERE o.term = 'returned'), 0)::text AS returned,
               (COALESCE(sum(o.term_cents) FILTER (WHERE o.term = 'charges'), 0) + sum(o.fee_cents))::text AS charges,
               COALESCE(sum(o.term_cents) FILTER (WHERE o.term = 'ignored'), 0)::text AS ignored,
               COALESCE(sum(o.term_cents) FILTER (WHERE o.term = 'unexplained'), 0)::text AS unexplained
          FROM line_outcomes o
         WHERE o.environment_id = _environment_id AND o.day BETWEEN _month AND _last AND o.entry_id IS NOT NULL
         GROUP BY o.account_id
      ) t ON t.account_id = d.account_id
     WHERE d.environment_id = _environment_id AND d.day BETWEEN _month AND _last
       AND (d.version IS NOT NULL OR t.account_id IS NOT NULL)
     GROUP BY d.account_id
  ) n
    INTO _numbers;
  RETURN _numbers;
END $$;
