CREATE OR REPLACE FUNCTION decide_lines(_environment_id integer, _decisions jsonb, _decided_by text)
RETURNS jsonb LANGUAGE plpgsql SET search_path = public, pg_temp SET enable_seqscan = off AS $$
-- Appends decisions about different lines, and queues the lines with their money. Returns the outcome of each
-- by entry_id. 'decided', or why it was not appended: 'no_line', 'month_closed', 'same' (it is the newest one, and counts),
-- 'superseded' (a newer one replaced it, or the newest one is not the one that the caller has seen),
-- 'nothing_to_undo', 'not_booked', 'amount_too_low', 'amount_too_high', 'pays_nothing', 'pending' (the lines of
-- the day are being compared, so nothing is completed).
-- expected_cents is what the contributions of a decision expect together. money_hash is of the line that the
-- caller has seen. Without it, there is no line any more: 'undo' takes back the decisions about it. A decision
-- that moved to a line ends with the next one about this line.
DECLARE
  _none CONSTANT bit(1024) := repeat('0', 1024)::bit(1024);
  _found jsonb;
  _outcomes jsonb;
  _entries uuid[];
  _changed text[];
  _accepted text[];
BEGIN
  -- One decision of an account at a time.
  SELECT array_agg(k.entry_id) FROM (
    SELECT o.entry_id FROM line_outcomes o
     WHERE o.environment_id = _environment_id
       AND o.entry_id IN (SELECT (d ->> 'entry_id')::uuid FROM jsonb_array_elements(_decisions) AS d)
     UNION
    SELECT n.entry_id FROM line_decisions n
     WHERE n.environment_id = _environment_id
       AND n.entry_id IN (SELECT (d ->> 'entry_id')::uuid FROM jsonb_array_elements(_decisions) AS d)
  ) k
    INTO _entries;
  PERFORM FROM statement_accounts a
    WHERE a.environment_id = _environment_id AND a.account_id IN (
      SELECT o.account_id FROM line_outcomes o
       WHERE o.environment_id = _environment_id AND o.entry_id = ANY (_entries)
       UNION
      SELECT n.account_id FROM line_decisions n
       WHERE n.environment_id = _environment_id AND n.entry_id = ANY (_entries))
    ORDER BY a.account_id
      FOR NO KEY UPDATE;
  WITH decided AS (
    SELECT o.account_id, o.day, o.bucket, n.money_hash
      FROM jsonb_to_recordset(_decisions) AS n (entry_id uuid, money_hash bigint)
      JOIN line_outcomes o ON o.environment_id = _environment_id AND o.entry_id = n.entry_id
     WHERE n.entry_id = ANY (_entries)
     UNION
    SELECT d.account_id, d.day, NULL, d.money_hash FROM line_decisions d
     WHERE d.environment_id = _environment_id AND d.entry_id = ANY (_entries)
  ),
  lines AS (
    SELECT d.account_id, d.day, d.bucket FROM decided d WHERE d.bucket IS NOT NULL
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
    SELECT n.*, o.decision_entry_id
      FROM jsonb_to_recordset(_decisions) AS n (
        entry_id uuid, action text, allocations jsonb, reason text, seen integer, money_hash bigint,
        expected_cents numeric)
      LEFT JOIN line_outcomes o ON o.environment_id = _environment_id AND o.entry_id = n.entry_id
     WHERE n.entry_id = ANY (_entries)
  ),
  before AS (
    SELECT g.entry_id, COALESCE(max(d.number), 0) AS newest,
           max(d.number) FILTER (WHERE d.action = g.action AND d.allocations = g.allocations AND d.reason = g.reason) AS same,
           (array_agg(d.action ORDER BY d.number DESC))[1] AS action,
           -- The money has changed since.
           g.action = 'accept_difference' AND EXISTS (
             SELECT FROM line_allocations p
               JOIN contribution_money m ON m.environment_id = _environment_id AND m.transaction_id = p.transaction_id
              WHERE p.environment_id = _environment_id AND p.entry_id = g.entry_id AND p.state = 'confirmed'
                AND m.accepted_at IS NULL) AS has_ended
      FROM given g
      LEFT JOIN line_decisions d
        ON d.environment_id = _environment_id AND d.entry_id IN (g.entry_id, g.decision_entry_id)
     GROUP BY g.entry_id, g.action
  ),
  sums AS (
    SELECT g.entry_id, sum((a ->> 'cents')::numeric) AS cents
      FROM given g, jsonb_array_elements(g.allocations) AS a GROUP BY g.entry_id
  )
  SELECT jsonb_object_agg(g.entry_id, CASE
           WHEN b.same = b.newest AND NOT b.has_ended THEN 'same'
           WHEN o.entry_id IS NULL AND (g.action <> 'undo' OR b.newest = 0) THEN 'no_line'
           WHEN EXISTS (
             SELECT FROM closed_months m
              WHERE m.environment_id = _environment_id AND m.month IN (
                SELECT date_trunc('month', x.day::timestamp)::date FROM line_outcomes x
                 WHERE x.environment_id = _environment_id AND (x.entry_id = g.entry_id OR x.decision_entry_id = g.entry_id)
                 UNION
                SELECT date_trunc('month', x.day::timestamp)::date FROM line_decisions x
                 WHERE x.environment_id = _environment_id AND x.entry_id = g.entry_id)) THEN 'month_closed'
           WHEN g.seen <> b.newest OR g.seen IS NULL AND b.same IS NOT NULL THEN 'superseded'
           WHEN g.action = 'undo' AND (b.newest = 0 OR b.action = 'undo') THEN 'nothing_to_undo'
           WHEN g.action IN ('link', 'split') AND l.problem IN ('unreadable', 'not_booked') THEN 'not_booked'
           WHEN g.action IN ('link', 'split') AND o.direction = a.direction AND s.cents < o.amount_cents THEN 'amount_too_low'
           WHEN g.action IN ('link', 'split') AND o.direction <> a.direction AND s.cents > o.amount_cents THEN 'amount_too_high'
           -- The rest of a payment would be a charge that nobody has stated.
           WHEN g.action IN ('link', 'split') AND s.cents > GREATEST(o.amount_cents + l.charges_cents, g.expected_cents) THEN 'amount_too_high'
           -- A statement that was voided meanwhile still has its lines.
           WHEN g.action = 'complete' AND d.has_work THEN 'pending'
           WHEN g.action IN ('accept_difference', 'complete') AND NOT EXISTS (
             SELECT FROM line_allocations p
              WHERE p.environment_id = _environment_id AND p.account_id = o.account_id AND p.day = o.day
                AND p.bucket = o.bucket AND p.entry_id = o.entry_id AND p.state = 'confirmed') THEN 'pays_nothing'
           ELSE 'decided' END)
    FROM given g
    JOIN before b ON b.entry_id = g.entry_id
    LEFT JOIN sums s ON s.entry_id = g.entry_id
    LEFT JOIN line_outcomes o ON o.environment_id = _environment_id AND o.entry_id = g.entry_id
                             AND g.money_hash IS NOT NULL
    LEFT JOIN account_days d ON d.environment_id = _environment_id AND d.account_id = o.account_id AND d.day = o.day
    LEFT JOIN statement_accounts a ON a.environment_id = _environment_id AND a.account_id = o.account_id
    LEFT JOIN statement_lines l ON l.environment_id = _environment_id AND l.statement_id = o.statement_id
                               AND l.number = o.number
    INTO _outcomes;

  WITH given AS (
    SELECT n.* FROM jsonb_to_recordset(_decisions) AS n (
      entry_id uuid, decision_id uuid, action text, allocations jsonb, reason text, money_hash bigint)
     WHERE _outcomes ->> n.entry_id::text = 'decided'
  ),
  appended AS (
    SELECT g.*, 1 AS place FROM given g
     UNION ALL
    -- The decision that moved to the line ends. Its own line has no row, so its rows say what it was about.
    SELECT o.decision_entry_id, md5(g.decision_id::text)::uuid, 'undo', '[]'::jsonb, g.reason, NULL, 0
      FROM given g
      JOIN line_outcomes o ON o.environment_id = _environment_id AND o.entry_id = g.entry_id
                          AND o.decision_entry_id <> o.entry_id
     WHERE g.action NOT IN ('accept_difference', 'complete')
  )
  INSERT INTO line_decisions
    (environment_id, account_id, number, decision_id, entry_id, day, direction, amount_cents, reference, digest,
     content, occurrence, money_hash, can_move, action, allocations, reason, decided_by)
  SELECT _environment_id, i.account_id, COALESCE((
           SELECT max(d.number) FROM line_decisions d
            WHERE d.environment_id = _environment_id AND d.account_id = i.account_id), 0)
           + row_number() OVER (PARTITION BY i.account_id ORDER BY n.place, n.entry_id),
         n.decision_id, n.entry_id, i.day, i.direction, i.amount_cents, i.reference, i.digest, i.content, i.occurrence,
         i.money_hash, i.can_move, n.action, n.allocations, n.reason, _decided_by
    FROM appended n
   CROSS JOIN LATERAL (
     SELECT o.account_id, o.day, o.direction, o.amount_cents, o.reference, o.digest, o.content, o.occurrence,
            n.money_hash, l.problem IS DISTINCT FROM 'not_booked' AND l.problem IS DISTINCT FROM 'unreadable'
              AND NOT EXISTS (
                SELECT FROM statement_lines b
                  JOIN line_outcomes x
                    ON x.environment_id = _environment_id AND x.account_id = b.account_id AND x.day = b.day
                   AND x.bucket = b.bucket AND x.statement_id = b.statement_id AND x.number = b.number
                 WHERE b.environment_id = _environment_id AND b.money_hash = n.money_hash
                   AND b.day BETWEEN o.day - 7 AND o.day + 7 AND x.entry_id <> o.entry_id) AS can_move
       FROM line_outcomes o
       JOIN statement_lines l
         ON l.environment_id = _environment_id AND l.statement_id = o.statement_id AND l.number = o.number
      WHERE o.environment_id = _environment_id AND o.entry_id = n.entry_id AND n.money_hash IS NOT NULL
      UNION ALL
     (SELECT d.account_id, d.day, d.direction, d.amount_cents, d.reference, d.digest, d.content, d.occurrence,
             d.money_hash, d.can_move
        FROM line_decisions d
       WHERE d.environment_id = _environment_id AND d.entry_id = n.entry_id AND n.money_hash IS NULL
       ORDER BY d.number DESC LIMIT 1)
   ) AS i;
  IF NOT FOUND THEN
    RETURN _outcomes;
  END IF;
  IF EXISTS (SELECT FROM jsonb_to_recordset(_decisions) AS n (action text)
              WHERE n.action NOT IN ('accept_difference', 'complete')) THEN
    UPDATE account_days d SET waiting = d.waiting | f.buckets
      FROM jsonb_to_recordset(_found) AS f (account_id uuid, day date, buckets bit(1024))
     WHERE d.environment_id = _environment_id AND d.account_id = f.account_id AND d.day = f.day;
  END IF;

  -- A difference is accepted with the money of now. Another decision about its lines ends that.
  SELECT array_agg(DISTINCT p.transaction_id),
         array_agg(DISTINCT p.transaction_id) FILTER (WHERE n.action = 'accept_difference')
    FROM jsonb_to_recordset(_decisions) AS n (entry_id uuid, action text)
    JOIN line_outcomes o ON o.environment_id = _environment_id AND o.entry_id = n.entry_id
    JOIN line_allocations p ON p.environment_id = _environment_id AND p.account_id = o.account_id AND p.day = o.day
                           AND p.bucket = o.bucket AND p.entry_id = o.entry_id AND p.state = 'confirmed'
   WHERE n.action <> 'complete' AND _outcomes ->> n.entry_id::text = 'decided'
    INTO _changed, _accepted;
  PERFORM FROM contribution_money m
    WHERE m.environment_id = _environment_id AND m.transaction_id = ANY (_changed)
    ORDER BY m.transaction_id
      FOR NO KEY UPDATE;
  UPDATE contribution_money m SET accepted_at = NULL
   WHERE m.environment_id = _environment_id AND m.transaction_id = ANY (_changed);
  UPDATE contribution_money m SET accepted_at = statement_timestamp()
   WHERE m.environment_id = _environment_id AND m.transaction_id = ANY (_accepted);
  RETURN _outcomes;
END $$;
