CREATE OR REPLACE FUNCTION take_queued_events(_environment_id integer, _event_ids uuid[]) RETURNS jsonb
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Deletes events of an environment from its queue. Returns them in the order of the feeds, each with
-- the banks that see the contribution. Returns null if the queue has none of them.
DECLARE
  _company_id uuid;
  _bank_ids integer[];
  _linked_at timestamptz[];
  _unlinked_at timestamptz[];
  _problem text;
  _rows jsonb;
BEGIN
  -- All queued events of a contribution join its batch. An event was written after the commit of its
  -- cause, so these statements see the cause, whatever the clocks say.
  -- The lock waits for a relay whose transaction is prepared on this server and not yet committed.
  SELECT array_agg(queued.event_id)
    FROM (
      SELECT q.event_id FROM event_queue q
       WHERE q.environment_id = _environment_id
         AND q.event_id = ANY (_event_ids || ARRAY(
           SELECT c.event_id
             FROM events o
             JOIN events c ON c.environment_id = _environment_id AND c.transaction_id = o.transaction_id
            WHERE o.environment_id = _environment_id AND o.event_id = ANY (_event_ids)))
         FOR UPDATE
    ) AS queued
    INTO _event_ids;
  IF _event_ids IS NULL THEN
    RETURN NULL;
  END IF;
  DELETE FROM event_queue q WHERE q.environment_id = _environment_id AND q.event_id = ANY (_event_ids);

  SELECT e.company_id FROM environments e WHERE e.environment_id = _environment_id INTO _company_id;
  -- A link that was voided shows nothing: it counts as one that ended when it began.
  SELECT array_agg(l.bank_environment_id), array_agg(l.linked_at),
         array_agg(CASE WHEN l.voided_at IS NULL THEN l.unlinked_at ELSE l.linked_at END)
    FROM bank_links l
   WHERE l.environment_id = _environment_id AND l.bank_environment_id > 0
    INTO _bank_ids, _linked_at, _unlinked_at;
  -- An event that somebody inserted by hand, or an earlier release.
  SELECT min(COALESCE(
           environment_event_problem(v.type, v.recorded_at, v.audience, v.data),
           CASE WHEN NOT v.audience <@ COALESCE(_bank_ids, '{}') THEN 'its audience has no link' END))
    FROM environment_events v
   WHERE v.environment_id = _environment_id AND v.event_id = ANY (_event_ids)
    INTO _problem;
  PERFORM require_argument(
    _problem IS NULL, 'environment_events_well_formed', format('a queued event is not well-formed: %s', _problem));

  WITH taken AS (
    SELECT e.event_id, e.environment_id AS owner_environment_id, e.transaction_id, e.type, e.recorded_at,
           e.actor_environment_id, COALESCE(c.completed_by_environment_id, t.completed_by_environment_id) AS completer_id,
           t.idempotency_key,
           -- The time of the event, but not before the event that it follows: clocks of servers differ.
           GREATEST(
             e.recorded_at,
             min(e.recorded_at) FILTER (WHERE e.type = 'contribution.created') OVER contribution,
             CASE WHEN e.type IN ('contribution.completion_repeated', 'contribution.completion_contested',
                                  'contribution.returned', 'contribution.return_undone', 'contribution.corrected')
                  THEN max(e.recorded_at) FILTER (WHERE e.type = 'contribution.completed') OVER own_completion END,
             max(e.recorded_at) FILTER (WHERE e.type = 'contribution.corrected') OVER earlier_completions,
             CASE WHEN e.type = 'contribution.return_undone'
                  THEN min(e.recorded_at) FILTER (WHERE e.type = 'contribution.returned') OVER money_return END
           ) AS place,
           e.completion,
           jsonb_build_object('company_id', _company_id, 'project_id', t.project_id,
                              'amount_cents', t.amount_cents) AS data,
           CASE WHEN e.type = 'contribution.created' THEN '{}'
                ELSE (e.evidence - 'amount_cents') || jsonb_strip_nulls(
                  jsonb_build_object('stated_amount_cents', e.evidence -> 'amount_cents')) END AS evidence,
           -- Those that saw the contribution at the time of the event. A link that ended later was active.
           ARRAY(
             SELECT l.bank_id
               FROM unnest(_bank_ids, _linked_at, _unlinked_at) AS l (bank_id, linked_at, unlinked_at)
              WHERE l.linked_at <= e.recorded_at
                -- The completion of that time: the event concerns it, unless it was corrected by then.
                AND bank_sees(t.created_at,
                              CASE WHEN e.type <> 'contribution.corrected' AND (c.recorded_at > e.recorded_at) IS NOT FALSE
                                   THEN COALESCE(c.completed_at, t.completed_at) END,
                              l.linked_at, CASE WHEN l.unlinked_at <= e.recorded_at THEN l.unlinked_at END)
              UNION
             -- The party that completed it, also after its link.
             SELECT party.id
               FROM (VALUES (t.completed_by_environment_id, t.completed_at),
                            (c.completed_by_environment_id, c.completed_at)) AS party (id, since)
              WHERE party.id > 0 AND party.id <> _environment_id AND e.recorded_at >= party.since
           ) AS audience
      FROM events e
      JOIN transactions t ON t.environment_id = e.environment_id AND t.transaction_id = e.transaction_id
      LEFT JOIN corrections c
        ON c.environment_id = e.environment_id AND c.transaction_id = e.transaction_id
       AND c.completion = e.completion
     WHERE e.environment_id = _environment_id AND e.event_id = ANY (_event_ids)
    WINDOW contribution AS (PARTITION BY e.transaction_id),
           own_completion AS (PARTITION BY e.transaction_id ORDER BY e.completion),
           earlier_completions AS (
             PARTITION BY e.transaction_id ORDER BY e.completion RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
           money_return AS (
             PARTITION BY e.transaction_id, COALESCE(e.evidence ->> 'undoes', e.evidence ->> 'return_id'))
     UNION ALL
    SELECT v.event_id, v.environment_id, NULL, v.type, v.recorded_at, NULL, NULL, NULL, v.recorded_at, 1, v.data, '{}',
           v.audience
      FROM environment_events v
     WHERE v.environment_id = _environment_id AND v.event_id = ANY (_event_ids)
  )
  SELECT jsonb_agg(
           to_jsonb(t)
           ORDER BY t.place, t.completion,
                    CASE t.type WHEN 'contribution.created' THEN 0 WHEN 'contribution.completed' THEN 1
                                WHEN 'contribution.return_undone' THEN 3 ELSE 2 END,
                    t.recorded_at, t.event_id)
    FROM taken t
    INTO _rows;
  IF jsonb_array_length(_rows) IS DISTINCT FROM cardinality(_event_ids) THEN
    RAISE EXCEPTION 'environment % has a queued event that does not exist', _environment_id
      USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'event_queue_event_exists', TABLE = 'event_queue';
  END IF;
  RETURN _rows;
END $$;
