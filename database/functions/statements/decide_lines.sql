CREATE OR REPLACE FUNCTION decide_lines(_environment_id integer, _decisions jsonb, _decided_by text)
RETURNS jsonb LANGUAGE plpgsql SET search_path = public, pg_temp SET enable_seqscan = off AS $$
-- Appends decisions about different lines, and queues the lines with their money. Returns the outcome of each
-- by entry_id. 'decided', or why it was not appended: 'no_line', 'month_closed', 'same' (it is the newest one),
-- 'superseded' (a newer one replaced it, or the newest one is not the one that the caller has seen),
-- 'nothing_to_undo', 'not_booked', 'amount_too_low', 'amount_too_high', 'pays_nothing'.
DECLARE
  _none CONSTANT bit(1024) := repeat('0', 1024)::bit(1024);
  _found jsonb;
  _outcomes jsonb;
  _entries uuid[];
  _changed text[];
  _accepted text[];
BEGIN
  -- One decision of an account at a time.
  SELECT array_agg(o.entry_id) FROM line_outcomes o
   WHERE o.environment_id = _environment_id
     AND o.entry_id IN (SELECT (d ->> 'entry_id')::uuid FROM jsonb_array_elements(_decisions) AS d)
    INTO _entries;
  PERFORM FROM statement_accounts a
    WHERE a.environment_id = _environment_id AND a.account_id IN (
      SELECT o.account_id FROM line_outcomes o
       WHERE o.environment_id = _environment_id AND o.entry_id = ANY (_entries))
    ORDER BY a.account_id
      FOR NO KEY UPDATE;
  WITH decided AS (
    SELECT o.account_id, o.day, o.bucket, n.money_hash
      FROM jsonb_to_recordset(_decisions) AS n (entry_id uuid, money_hash bigint)
      JOIN line_outcomes o ON o.environment_id = _environment_id AND o.entry_id = n.entry_id
     WHERE n.entry_id = ANY (_entries)
  ),
  lines AS (
    SELECT d.account_id, d.day, d.bucket FROM decided d
     UNION
    -- A loop over the hashes, which have the account: the planner would read all lines instead.
    SELECT k.account_id, l.day, l.bucket FROM (SELECT DISTINCT d.account_id, d.day, d.money_hash FROM decided d) k
     CROSS JOIN LATERAL (
       SELECT o.day, o.bucket FROM statement_lines o
        WHERE o.environment_id = _environment_id AND o.money_hash = k.money_hash
          AND o.day BETWEEN k.day - 28 AND k.day + 28 OFFSET 0
     ) l
  ),
  days AS (
    SELECT l.account_id, l.day, bit_or(set_bit(_none, l.bucket, 1)) AS buckets
      FROM lines l GROUP BY l.account_id, l.day
  )
  SELECT jsonb_agg(d) FROM days d INTO _found;
  -- In the order of the days, so that two processes never wait for each other. While a day is locked, its
  -- lines do not change, and its month is not closed.
  PERFORM FROM account_days d
    WHERE d.environment_id = _environment_id AND (d.account_id, d.day) IN (
      SELECT f.account_id, f.day FROM jsonb_to_recordset(_found) AS f (account_id uuid, day date))
    ORDER BY d.account_id, d.day
      FOR NO KEY UPDATE;

  WITH given AS (
    SELECT n.* FROM jsonb_to_recordset(_decisions) AS n (
      entry_id uuid, action text, allocations jsonb, reason text, seen integer)
  ),
  before AS (
    SELECT g.entry_id, COALESCE(max(d.number), 0) AS newest,
           max(d.number) FILTER (WHERE d.action = g.action AND d.allocations = g.allocations AND d.reason = g.reason) AS same,
           (array_agg(d.action ORDER BY d.number DESC))[1] AS action
      FROM given g
      LEFT JOIN line_decisions d ON d.environment_id = _environment_id AND d.entry_id = g.entry_id
     GROUP BY g.entry_id
  ),
  sums AS (
    SELECT g.entry_id, sum((a ->> 'cents')::numeric) AS cents
      FROM given g, jsonb_array_elements(g.allocations) AS a GROUP BY g.entry_id
  )
  SELECT jsonb_object_agg(g.entry_id, CASE
           WHEN o.entry_id IS NULL THEN 'no_line'
           WHEN b.same = b.newest THEN 'same'
           WHEN EXISTS (SELECT FROM closed_months m
                         WHERE m.environment_id = _environment_id
                           AND m.month = date_trunc('month', o.day::timestamp)::date) THEN 'month_closed'
           WHEN g.seen <> b.newest OR g.seen IS NULL AND b.same IS NOT NULL THEN 'superseded'
           WHEN g.action = 'undo' AND (b.newest = 0 OR b.action = 'undo') THEN 'nothing_to_undo'
           WHEN g.action IN ('link', 'split') AND l.problem IN ('unreadable', 'not_booked') THEN 'not_booked'
           WHEN g.action IN ('link', 'split') AND o.direction = a.direction AND s.cents < o.amount_cents THEN 'amount_too_low'
           WHEN g.action IN ('link', 'split') AND o.direction <> a.direction AND s.cents > o.amount_cents THEN 'amount_too_high'
           WHEN g.action IN ('accept_difference', 'complete') AND NOT EXISTS (
             SELECT FROM line_allocations p
              WHERE p.environment_id = _environment_id AND p.account_id = o.account_id AND p.day = o.day
                AND p.bucket = o.bucket AND p.entry_id = o.entry_id AND p.state = 'confirmed') THEN 'pays_nothing'
           ELSE 'decided' END)
    FROM given g
    JOIN before b ON b.entry_id = g.entry_id
    LEFT JOIN sums s ON s.entry_id = g.entry_id
    LEFT JOIN line_outcomes o ON o.environment_id = _environment_id AND o.entry_id = g.entry_id
                             AND o.entry_id = ANY (_entries)
    LEFT JOIN statement_accounts a ON a.environment_id = _environment_id AND a.account_id = o.account_id
    LEFT JOIN statement_lines l ON l.environment_id = _environment_id AND l.statement_id = o.statement_id
                               AND l.number = o.number
    INTO _outcomes;

  INSERT INTO line_decisions
    (environment_id, account_id, number, decision_id, entry_id, day, direction, amount_cents, reference, digest,
     occurrence, money_hash, action, allocations, reason, decided_by)
  SELECT _environment_id, o.account_id, COALESCE((
           SELECT max(d.number) FROM line_decisions d
            WHERE d.environment_id = _environment_id AND d.account_id = o.account_id), 0)
           + row_number() OVER (PARTITION BY o.account_id ORDER BY n.entry_id),
         n.decision_id, n.entry_id, o.day, o.direction, o.amount_cents, o.reference, o.digest, o.occurrence,
         n.money_hash, n.action, n.allocations, n.reason, _decided_by
    FROM jsonb_to_recordset(_decisions) AS n (
      entry_id uuid, decision_id uuid, action text, allocations jsonb, reason text, money_hash bigint)
    JOIN line_outcomes o ON o.environment_id = _environment_id AND o.entry_id = n.entry_id
   WHERE _outcomes ->> n.entry_id::text = 'decided';
  IF NOT FOUND THEN
    RETURN _outcomes;
  END IF;
  UPDATE account_days d SET waiting = d.waiting | f.buckets
    FROM jsonb_to_recordset(_found) AS f (account_id uuid, day date, buckets bit(1024))
   WHERE d.environment_id = _environment_id AND d.account_id = f.account_id AND d.day = f.day;

  -- A difference is accepted with the money of now. Undoing the decisions of a line ends that.
  SELECT array_agg(DISTINCT p.transaction_id),
         array_agg(DISTINCT p.transaction_id) FILTER (WHERE n.action = 'accept_difference')
    FROM jsonb_to_recordset(_decisions) AS n (entry_id uuid, action text)
    JOIN line_outcomes o ON o.environment_id = _environment_id AND o.entry_id = n.entry_id
    JOIN line_allocations p ON p.environment_id = _environment_id AND p.account_id = o.account_id AND p.day = o.day
                           AND p.bucket = o.bucket AND p.entry_id = o.entry_id AND p.state = 'confirmed'
   WHERE n.action IN ('accept_difference', 'undo') AND _outcomes ->> n.entry_id::text = 'decided'
    INTO _changed, _accepted;
  PERFORM FROM contribution_money m
    WHERE m.environment_id = _environment_id AND m.transaction_id = ANY (_changed)
    ORDER BY m.transaction_id
      FOR NO KEY UPDATE;
  UPDATE contribution_money m
     SET accepted_gross_cents = NULL, accepted_returned_cents = NULL, accepted_at = NULL
   WHERE m.environment_id = _environment_id AND m.transaction_id = ANY (_changed);
  UPDATE contribution_money m
     SET accepted_gross_cents = m.gross_cents, accepted_returned_cents = m.returned_cents,
         accepted_at = statement_timestamp()
   WHERE m.environment_id = _environment_id AND m.transaction_id = ANY (_accepted);
  RETURN _outcomes;
END $$;
