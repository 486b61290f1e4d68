import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const putSignature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';
const decideSignature = 'decide_entry(integer, uuid, uuid, text, jsonb, text, text, integer)';

const sumsBefore = `\
  INSERT INTO statement_money AS m
    (environment_id, transaction_id, transaction_environment_id, expected_cents, gross_cents, returned_cents,
     other_gross_cents, other_returned_cents, is_decided)
  SELECT a.environment_id, a.transaction_id, min(a.transaction_environment_id), min(a.expected_cents),
         COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'payment' AND a.state = 'confirmed'), 0),
         COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'return' AND a.state = 'confirmed'), 0),
         COALESCE(sum(a.amount_cents) FILTER (
           WHERE a.kind = 'payment' AND a.state = 'confirmed' AND a.amount_cents <> a.expected_cents), 0),
         COALESCE(sum(a.amount_cents) FILTER (
           WHERE a.kind = 'return' AND a.state = 'confirmed' AND a.amount_cents <> a.expected_cents), 0),
         -- A decision is about the money that was known then.
         COALESCE(max(e.closed_at) FILTER (WHERE e.is_decided AND a.state = 'confirmed')
                  >= max(e.first_seen_at) FILTER (WHERE a.state = 'confirmed'), false)
    FROM unnest(_touched) AS t (transaction_id)
   CROSS JOIN LATERAL (
     SELECT o.environment_id, o.entry_id, o.transaction_id, o.transaction_environment_id, o.kind, o.amount_cents,
            o.expected_cents, o.state
       FROM allocations o
      WHERE o.environment_id = _environment_id AND o.transaction_id = t.transaction_id OFFSET 0
   ) AS a
   CROSS JOIN LATERAL (
     SELECT o.is_decided, o.first_seen_at,
            CASE WHEN o.is_decided THEN (
              SELECT max(d.decided_at) FROM reconciliation_decisions d
               WHERE d.environment_id = _environment_id AND d.entry_id = o.entry_id
                 AND d.action IN ('ignore', 'accept_difference', 'complete')) END AS closed_at
       FROM statement_entries o
      WHERE o.environment_id = _environment_id AND o.entry_id = a.entry_id OFFSET 0
   ) AS e
   GROUP BY a.environment_id, a.transaction_id
  ON CONFLICT ON CONSTRAINT statement_money_pkey DO UPDATE
    SET gross_cents = excluded.gross_cents, returned_cents = excluded.returned_cents,
        other_gross_cents = excluded.other_gross_cents, other_returned_cents = excluded.other_returned_cents,
        is_decided = excluded.is_decided;
`;

const sumsAfter = `\
  INSERT INTO statement_money AS m
    (environment_id, transaction_id, transaction_environment_id, expected_cents, gross_cents, returned_cents,
     other_gross_cents, other_returned_cents, is_decided, decided_at)
  SELECT _environment_id, s.transaction_id, s.transaction_environment_id, s.expected_cents, s.gross_cents,
         s.returned_cents, s.other_gross_cents, s.other_returned_cents, d.decided_at IS NOT NULL, d.decided_at
    FROM (
      SELECT a.transaction_id, min(a.transaction_environment_id) AS transaction_environment_id,
             min(a.expected_cents) AS expected_cents,
             COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'payment' AND a.state = 'confirmed'), 0) AS gross_cents,
             COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'return' AND a.state = 'confirmed'), 0) AS returned_cents,
             COALESCE(sum(a.amount_cents) FILTER (
               WHERE a.kind = 'payment' AND a.state = 'confirmed' AND a.amount_cents <> a.expected_cents), 0) AS other_gross_cents,
             COALESCE(sum(a.amount_cents) FILTER (
               WHERE a.kind = 'return' AND a.state = 'confirmed' AND a.amount_cents <> a.expected_cents), 0) AS other_returned_cents,
             max(e.first_seen_at) FILTER (WHERE a.state = 'confirmed') AS last_seen_at
        FROM unnest(_touched) AS t (transaction_id)
       CROSS JOIN LATERAL (
         SELECT o.entry_id, o.transaction_id, o.transaction_environment_id, o.kind, o.amount_cents, o.expected_cents, o.state
           FROM allocations o
          WHERE o.environment_id = _environment_id AND o.transaction_id = t.transaction_id OFFSET 0
       ) AS a
       CROSS JOIN LATERAL (
         SELECT o.first_seen_at FROM statement_entries o
          WHERE o.environment_id = _environment_id AND o.entry_id = a.entry_id OFFSET 0
       ) AS e
       GROUP BY a.transaction_id
    ) AS s
   CROSS JOIN LATERAL (
     -- A decision is about the money that was known then. Decisions of before do not say how much.
     SELECT max(n.decided_at) AS decided_at
       FROM (
         SELECT o.entry_id FROM allocations o
          WHERE o.environment_id = _environment_id AND o.transaction_id = s.transaction_id AND o.state = 'confirmed' OFFSET 0
       ) AS a
      CROSS JOIN LATERAL (
        SELECT o.is_decided FROM statement_entries o
         WHERE o.environment_id = _environment_id AND o.entry_id = a.entry_id OFFSET 0
      ) AS e
      CROSS JOIN LATERAL (
        SELECT o.decided_at, o.known_money FROM reconciliation_decisions o
         WHERE o.environment_id = _environment_id AND o.entry_id = a.entry_id AND NOT o.is_superseded
         ORDER BY o.number DESC LIMIT 1
      ) AS n
      WHERE e.is_decided
        AND CASE WHEN n.known_money IS NULL THEN n.decided_at >= s.last_seen_at
                 ELSE n.known_money -> s.transaction_id = jsonb_build_array(s.gross_cents, s.returned_cents) END
   ) AS d
  ON CONFLICT ON CONSTRAINT statement_money_pkey DO UPDATE
    SET gross_cents = excluded.gross_cents, returned_cents = excluded.returned_cents,
        other_gross_cents = excluded.other_gross_cents, other_returned_cents = excluded.other_returned_cents,
        is_decided = excluded.is_decided, decided_at = excluded.decided_at;
`;

/** The parts of the function that appends a decision, before and after. */
const changes: readonly (readonly [before: string, after: string])[] = [
  ['     is_superseded)\n', '     is_superseded, known_money)\n'],
  [
    `         COALESCE(_seen <> _newest, false)
`,
    `         COALESCE(_seen <> _newest, false),
         CASE WHEN _action IN ('accept_difference', 'complete') THEN COALESCE((
           SELECT jsonb_object_agg(m.transaction_id, jsonb_build_array(m.gross_cents, m.returned_cents))
             FROM allocations a
             JOIN statement_money m ON m.environment_id = _environment_id AND m.transaction_id = a.transaction_id
            WHERE a.environment_id = _environment_id AND a.entry_id = _entry_id AND a.state = 'confirmed'), '{}') END
`,
  ],
];

/**
 * A decision closes a contribution for the sums that were known when it was made. Before, it was
 * compared with the time at which an entry was first seen. An entry that was seen before the
 * decision and confirmed after it stayed closed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE reconciliation_decisions ADD COLUMN known_money jsonb;
    COMMENT ON COLUMN reconciliation_decisions.known_money IS 'of each contribution that it closes: paid and returned cents when it was made; null for decisions of before';
    ALTER TABLE statement_money ADD COLUMN decided_at timestamptz;
    COMMENT ON COLUMN statement_money.decided_at IS 'when a decision closed it; null if it is not decided, and for decisions of before';
    GRANT SELECT (known_money), INSERT (known_money) ON reconciliation_decisions TO contribution_service;
    GRANT SELECT (decided_at), INSERT (decided_at), UPDATE (decided_at) ON statement_money TO contribution_service`);
  await replaceInFunction(knex, putSignature, sumsBefore, sumsAfter);
  for (const [before, after] of changes) await replaceInFunction(knex, decideSignature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, decideSignature, after, before);
  await replaceInFunction(knex, putSignature, sumsAfter, sumsBefore);
  await knex.raw(`
    ALTER TABLE statement_money DROP COLUMN decided_at;
    ALTER TABLE reconciliation_decisions DROP COLUMN known_money`);
}
