import { check, problemsOf } from '../../operator/verification/verification-check';

/** The accounts of $1 without work. Lines of the others are being compared. */
const idleAccounts = `
    idle AS MATERIALIZED (
      SELECT a.account_id FROM statement_accounts a
       WHERE a.environment_id = $1 AND NOT EXISTS (
         SELECT FROM account_days d WHERE d.environment_id = $1 AND d.account_id = a.account_id AND d.has_work)
    )`;

/** Signed cents of the terms in the stored numbers of a closing. */
const storedTerms = ['matched', 'returned', 'charges', 'ignored', 'unexplained']
  .map((term) => `(t.value ->> '${term}')::numeric`)
  .join(' + ');

/** Checks bank statements: nothing is lost, and sums follow from the lines. */
export const statementChecks = [
  check(
    'statement-lines-judged',
    'environment',
    'statement_lines',
    'Each line of a statement that is not voided has an outcome, and each outcome a line. A replaced line names the version or the statement that has it instead.',
    `
    WITH ${idleAccounts},
    lines AS (
      SELECT l.account_id, l.day, l.bucket, l.statement_id, l.number
        FROM statement_lines l
        JOIN bank_statements s ON s.environment_id = $1 AND s.statement_id = l.statement_id
        JOIN idle i ON i.account_id = l.account_id
       WHERE l.environment_id = $1 AND s.voided_at IS NULL
    ),
    outcomes AS (
      SELECT o.account_id, o.day, o.bucket, o.statement_id, o.number, o.state, o.replaced_by
        FROM line_outcomes o
        JOIN idle i ON i.account_id = o.account_id
       WHERE o.environment_id = $1
    )
    SELECT $1::integer AS environment_id, ${problemsOf({
      'a line has no outcome': `o.statement_id IS NULL`,
      'an outcome has no line': `l.statement_id IS NULL`,
      'a replaced line names neither a version nor a statement': `
        o.state = 'replaced'
          AND NOT EXISTS (SELECT FROM account_days v
                           WHERE v.environment_id = $1 AND v.account_id = o.account_id AND v.version = o.replaced_by
                             AND v.day BETWEEN o.day - 7 AND o.day + 7)
          AND NOT EXISTS (SELECT FROM bank_statements b
                           WHERE b.environment_id = $1 AND b.voided_at IS NULL
                             AND b.statement_id = CASE WHEN o.replaced_by LIKE '% %' THEN split_part(o.replaced_by, ' ', 2)::uuid END)`,
    })} AS problem
      FROM lines l
      FULL JOIN outcomes o
        ON o.statement_id = l.statement_id AND o.number = l.number AND o.account_id = l.account_id
       AND o.day = l.day AND o.bucket = l.bucket`,
  ),
  check(
    'account-days-agree',
    'environment',
    'account_days',
    'The terms of the lines of a day without a question add up to its change, and its opening balance plus the change is its closing balance.',
    `
    WITH ${idleAccounts},
    summed AS (
      SELECT o.account_id, o.day, sum(o.term_cents + o.fee_cents) AS cents
        FROM line_outcomes o
       WHERE o.environment_id = $1 AND o.term IS NOT NULL
       GROUP BY o.account_id, o.day
    )
    SELECT d.environment_id, ${problemsOf({
      'the terms of its lines do not add up to its change': `COALESCE(n.cents, 0) <> d.change_cents`,
      'its balances do not differ by its change': `
        d.opening_cents + d.change_cents <> d.closing_cents AND d.summary -> 'hasGap' = 'false'
          AND NOT EXISTS (SELECT FROM day_choices c
                           WHERE c.environment_id = $1 AND c.account_id = d.account_id AND c.day = d.day
                             AND c.kind = 'use_anyway')`,
    })} AS problem
      FROM account_days d
      JOIN idle i ON i.account_id = d.account_id
      LEFT JOIN summed n ON n.account_id = d.account_id AND n.day = d.day
     WHERE d.environment_id = $1 AND d.version IS NOT NULL AND d.question IS NULL AND d.problem IS NULL`,
  ),
  check(
    'allocation-within-rules',
    'environment',
    'line_allocations',
    'An allocation belongs to a contribution that exists or was purged. The confirmed allocations of a line that counts do not exceed it.',
    `
    WITH given AS MATERIALIZED (
      SELECT a.environment_id, a.entry_id, a.transaction_id, a.transaction_environment_id, a.expected_cents, a.state,
             o.state AS line_state, owner.purged_at IS NOT NULL AS is_purged,
             o.amount_cents + CASE a.kind WHEN 'payment' THEN o.charges_cents ELSE -o.charges_cents END AS line_cents,
             sum(a.amount_cents) FILTER (WHERE a.state = 'confirmed') OVER (PARTITION BY a.entry_id) AS confirmed_cents
        FROM line_allocations a
        LEFT JOIN line_outcomes o
          ON o.environment_id = $1 AND o.account_id = a.account_id AND o.day = a.day AND o.bucket = a.bucket
         AND o.entry_id = a.entry_id
        LEFT JOIN environments owner ON owner.environment_id = a.transaction_environment_id
       WHERE a.environment_id = $1
    )
    SELECT a.environment_id, a.transaction_id, ${problemsOf({
      // A bank keeps its allocations when a purge deletes the contributions of a company.
      'its contribution does not exist': `t.transaction_id IS NULL AND NOT a.is_purged`,
      'its expected amount is not the amount of the contribution': `t.amount_cents <> a.expected_cents`,
      'the confirmed allocations of its line exceed the line': `a.confirmed_cents > a.line_cents`,
      'it is confirmed although its line does not count': `
        a.state = 'confirmed' AND a.line_state IS DISTINCT FROM 'counted'`,
    })} AS problem
      FROM given a
      LEFT JOIN transactions t
        ON t.environment_id = a.transaction_environment_id AND t.transaction_id = a.transaction_id`,
  ),
  check(
    'contribution-money-agrees',
    'environment',
    'contribution_money',
    'The money of a contribution in the statements of an environment is the sum of its confirmed allocations.',
    `
    WITH given AS (
      SELECT a.transaction_id,
             COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'payment'), 0) AS gross,
             COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'return'), 0) AS returned,
             COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'payment' AND a.amount_cents <> a.expected_cents), 0)
               AS other_gross,
             COALESCE(sum(a.amount_cents) FILTER (WHERE a.kind = 'return' AND a.amount_cents <> a.expected_cents), 0)
               AS other_returned,
             sum(a.charges_cents) AS charges
        FROM line_allocations a
       WHERE a.environment_id = $1 AND a.state = 'confirmed'
       GROUP BY a.transaction_id
    ),
    stored AS (
      SELECT m.transaction_id, m.gross_cents, m.returned_cents, m.other_gross_cents, m.other_returned_cents,
             m.charges_cents
        FROM contribution_money m WHERE m.environment_id = $1
    )
    SELECT $1::integer AS environment_id, COALESCE(given.transaction_id, stored.transaction_id) AS transaction_id, ${problemsOf(
      {
        'it has allocations but no sums': `stored.transaction_id IS NULL`,
        'its sums do not match its allocations': `
        (COALESCE(given.gross, 0), COALESCE(given.returned, 0), COALESCE(given.other_gross, 0),
         COALESCE(given.other_returned, 0), COALESCE(given.charges, 0))
          <> (stored.gross_cents, stored.returned_cents, stored.other_gross_cents, stored.other_returned_cents,
              stored.charges_cents)`,
      },
    )} AS problem
      FROM given
      FULL JOIN stored ON stored.transaction_id = given.transaction_id`,
  ),
  check(
    'closed-months-agree',
    'environment',
    'closed_months',
    'The numbers of a closed month were stored when it was closed, and its days still have these balances.',
    `
    WITH newest AS (
      SELECT DISTINCT ON (c.month) c.month, c.kind, c.numbers
        FROM month_changes c WHERE c.environment_id = $1
       ORDER BY c.month, c.number DESC
    ),
    told AS (
      SELECT n.month, t.key AS account, t.value ->> 'opening' AS opening, t.value ->> 'closing' AS closing,
             ${storedTerms} AS cents
        FROM newest n CROSS JOIN LATERAL jsonb_each(n.numbers) AS t
    ),
    days AS (
      SELECT m.month, d.account_id::text AS account, (array_agg(d.opening_cents::text ORDER BY d.day))[1] AS opening,
             (array_agg(d.closing_cents::text ORDER BY d.day DESC))[1] AS closing, sum(d.change_cents) AS cents
        FROM closed_months m
        JOIN account_days d ON d.environment_id = $1 AND d.version IS NOT NULL
         AND d.day BETWEEN m.month AND (m.month + interval '1 month - 1 day')::date
       WHERE m.environment_id = $1
       GROUP BY m.month, d.account_id
    ),
    wrong AS (
      SELECT DISTINCT COALESCE(days.month, told.month) AS month
        FROM days FULL JOIN told ON told.month = days.month AND told.account = days.account
       WHERE days.account IS NULL OR told.account IS NULL OR days.opening <> told.opening
          OR days.closing <> told.closing OR days.cents <> told.cents
    )
    SELECT m.environment_id, ${problemsOf({
      'its numbers were not stored': `n.kind IS DISTINCT FROM 'closed'`,
      'its stored numbers do not match its days': `n.kind = 'closed' AND wrong.month IS NOT NULL`,
    })} AS problem
      FROM closed_months m
      LEFT JOIN newest n ON n.month = m.month
      LEFT JOIN wrong ON wrong.month = m.month
     WHERE m.environment_id = $1`,
  ),
  check(
    'decisions-and-lists-numbered',
    'environment',
    'line_decisions',
    'The decisions of an account have all numbers up to the last one. So do the settlement lists of an environment, and each has lines.',
    `
    WITH decided AS (
      SELECT d.account_id, count(*) <> max(d.number) AS is_missing
        FROM line_decisions d WHERE d.environment_id = $1 GROUP BY d.account_id
    ),
    listed AS (
      SELECT count(*) <> COALESCE(max(l.revision), 0) AS is_missing,
             count(*) FILTER (WHERE NOT EXISTS (
               SELECT FROM settlement_lines n
                WHERE n.environment_id = $1 AND n.reference = l.reference AND n.revision = l.revision)) AS empty
        FROM settlement_lists l WHERE l.environment_id = $1
    )
    SELECT e.environment_id, ${problemsOf({
      'a decision is missing': `EXISTS (SELECT FROM decided d WHERE d.is_missing)`,
      'a settlement list is missing': `listed.is_missing`,
      'a settlement list has no lines': `listed.empty > 0`,
    })} AS problem
      FROM environments e CROSS JOIN listed
     -- A purge deletes a retired environment in several steps.
     WHERE e.environment_id = $1 AND e.retired_at IS NULL`,
  ),
];
