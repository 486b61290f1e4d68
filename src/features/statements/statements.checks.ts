import { check, problemsOf } from '../../operator/verification/verification-check';

/** Checks uploaded bank statements: nothing is lost, and sums follow from the allocations. */
export const statementChecks = [
  check(
    'statement-lines-stored',
    'environment',
    'statement_files',
    'A stored file has all of its lines. Every entry of a matched file was compared. Its environment knows the version of its rules.',
    `
    WITH stored AS (
      SELECT s.file_id, count(*) AS lines FROM entry_sources s WHERE s.environment_id = $1 GROUP BY s.file_id
    )
    SELECT f.environment_id, f.file_id, ${problemsOf({
      'its number of lines is wrong': `COALESCE(stored.lines, 0) <> f.entry_count`,
      'it is matched, but not all entries were compared': `f.state = 'matched' AND f.matched_count <> f.entry_count`,
      'its rules are newer than those of its environment': `f.entry_count > 0 AND f.rules > p.rules`,
    })} AS problem
      FROM statement_files f
      LEFT JOIN stored ON stored.file_id = f.file_id
      LEFT JOIN matching_progress p ON p.environment_id = $1
     WHERE f.environment_id = $1 AND f.state <> 'receiving'`,
  ),
  check(
    'allocation-within-rules',
    'environment',
    'allocations',
    'An allocation belongs to a contribution that exists or was purged. The allocations of an entry do not exceed it, and are confirmed only if it is.',
    `
    WITH given AS MATERIALIZED (
      SELECT a.environment_id, a.entry_id, a.transaction_id, a.transaction_environment_id, a.expected_cents,
             a.confidence, a.state, e.standing, e.amount_cents + e.charges_cents AS entry_cents,
             owner.purged_at IS NOT NULL AS is_purged,
             sum(a.amount_cents) FILTER (WHERE a.state <> 'withdrawn') OVER (PARTITION BY a.entry_id) AS allocated_cents
        FROM allocations a
        LEFT JOIN statement_entries e ON e.environment_id = $1 AND e.entry_id = a.entry_id
        LEFT JOIN environments owner ON owner.environment_id = a.transaction_environment_id
       WHERE a.environment_id = $1
    )
    SELECT a.environment_id, a.transaction_id, ${problemsOf({
      // A bank keeps its allocations when a purge deletes the contributions of a company.
      'its contribution does not exist': `t.transaction_id IS NULL AND NOT a.is_purged`,
      'its expected amount is not the amount of the contribution': `t.amount_cents <> a.expected_cents`,
      'the allocations of its entry exceed the amount of the entry': `a.allocated_cents > a.entry_cents`,
      'it is confirmed although its entry is not': `
        a.state = 'confirmed' AND a.confidence <> 'decision' AND a.standing IS DISTINCT FROM 'confirmed'`,
    })} AS problem
      FROM given a
      LEFT JOIN transactions t
        ON t.environment_id = a.transaction_environment_id AND t.transaction_id = a.transaction_id`,
  ),
  check(
    'statement-money-agrees',
    'environment',
    'statement_money',
    'The money of a contribution in the statements of an environment is the sum of its confirmed allocations.',
    `
    WITH given AS (
      SELECT a.transaction_id,
             LEAST(COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'payment' AND a.state = 'confirmed'), 0), 9223372036854775807) AS gross,
             LEAST(COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'return' AND a.state = 'confirmed'), 0), 9223372036854775807) AS returned
        FROM allocations a
       WHERE a.environment_id = $1
       GROUP BY a.transaction_id
    ),
    stored AS (
      SELECT m.transaction_id, m.gross_cents, m.returned_cents FROM statement_money m WHERE m.environment_id = $1
    )
    SELECT $1::integer AS environment_id, COALESCE(given.transaction_id, stored.transaction_id) AS transaction_id, ${problemsOf(
      {
        'it has allocations but no sums': `stored.transaction_id IS NULL`,
        'its sums do not match its allocations': `
        COALESCE(given.gross, 0) <> stored.gross_cents OR COALESCE(given.returned, 0) <> stored.returned_cents`,
      },
    )} AS problem
      FROM given
      FULL JOIN stored ON stored.transaction_id = given.transaction_id`,
  ),
  check(
    'decisions-and-lists-numbered',
    'environment',
    'matching_progress',
    'The decisions of an environment have all numbers up to the last one. So do its settlement lists, and each has lines.',
    `
    WITH decided AS (
      SELECT count(*) AS rows, COALESCE(max(d.number), 0) AS last FROM reconciliation_decisions d WHERE d.environment_id = $1
    ),
    listed AS (
      SELECT count(*) AS rows, COALESCE(max(l.revision), 0) AS last,
             count(*) FILTER (WHERE NOT EXISTS (
               SELECT FROM settlement_lines n
                WHERE n.environment_id = $1 AND n.reference = l.reference AND n.revision = l.revision)) AS empty
        FROM settlement_lists l WHERE l.environment_id = $1
    )
    SELECT p.environment_id, ${problemsOf({
      'a decision is missing': `decided.rows <> p.seen_decisions OR decided.last <> p.seen_decisions`,
      'a settlement list is missing': `listed.rows <> p.seen_lists OR listed.last <> p.seen_lists`,
      'a settlement list has no lines': `listed.empty > 0`,
    })} AS problem
      FROM matching_progress p CROSS JOIN decided CROSS JOIN listed
     WHERE p.environment_id = $1
       -- A purge deletes a retired environment in several steps.
       AND EXISTS (SELECT FROM environments e WHERE e.environment_id = $1 AND e.retired_at IS NULL)`,
  ),
];
