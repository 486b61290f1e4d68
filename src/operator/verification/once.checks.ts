import { check } from './verification-check';

const readsTablesOnly = { readsTablesOnly: true };

/**
 * Checks of uniqueness. Each check reads its whole table without indexes: a damaged unique index
 * accepts duplicates and then does not find them.
 */
export const onceChecks = [
  check(
    'transaction-id-once',
    'installation',
    'transactions',
    'A transaction_id is unique in the whole installation.',
    `
    SELECT min(t.environment_id) AS environment_id, t.transaction_id,
           CASE WHEN count(DISTINCT t.environment_id) = 1 THEN 'it occurs more than once'
                ELSE 'it occurs in the environments '
                  || string_agg(DISTINCT t.environment_id::text, ', ' ORDER BY t.environment_id::text) END AS problem
      FROM transactions t
     GROUP BY t.transaction_id
    HAVING count(*) > 1`,
    readsTablesOnly,
  ),
  check(
    'idempotency-key-once',
    'installation',
    'transactions',
    'An idempotency key of an environment has one transaction.',
    `
    SELECT t.environment_id, min(t.transaction_id) AS transaction_id,
           'one idempotency key for ' || string_agg(t.transaction_id, ', ' ORDER BY t.transaction_id) AS problem
      FROM transactions t
     WHERE t.idempotency_key IS NOT NULL
     GROUP BY t.environment_id, t.idempotency_key
    HAVING count(*) > 1`,
    readsTablesOnly,
  ),
  check(
    'event-once',
    'installation',
    'events',
    'A transaction is created once, and each of its completions and corrections happens once.',
    `
    SELECT e.environment_id, e.transaction_id, 'it has more than one ' || e.type || ' event' AS problem
      FROM events e
     WHERE e.type IN ('contribution.created', 'contribution.completed', 'contribution.corrected')
     GROUP BY e.environment_id, e.transaction_id, e.type, e.completion
    HAVING count(*) > 1`,
    readsTablesOnly,
  ),
  check(
    'return-once',
    'installation',
    'money_returns',
    'A bank reference identifies one return of a kind, for each transaction. Only paid_again may undo several returns.',
    `
    SELECT r.environment_id, r.transaction_id, 'one bank reference for more than one ' || r.kind AS problem
      FROM money_returns r
     GROUP BY r.environment_id, r.transaction_id, r.bank_reference, r.kind,
              CASE WHEN r.kind = 'paid_again' THEN r.undoes END
    HAVING count(*) > 1`,
    readsTablesOnly,
  ),
  check(
    'support-once',
    'installation',
    'supports',
    'A user has one support for a project.',
    `
    SELECT s.environment_id, s.user_id, s.project_id, 'the support occurs more than once' AS problem
      FROM supports s
     GROUP BY s.environment_id, s.user_id, s.project_id
    HAVING count(*) > 1`,
    readsTablesOnly,
  ),
  check(
    'user-once',
    'installation',
    'users',
    'A user_hash of an environment belongs to one user.',
    `
    SELECT u.environment_id, min(u.user_id) AS user_id,
           'one user_hash for ' || string_agg(u.user_id::text, ', ' ORDER BY u.user_id) AS problem
      FROM users u
     WHERE u.user_hash IS NOT NULL
     GROUP BY u.environment_id, u.user_hash
    HAVING count(*) > 1`,
    readsTablesOnly,
  ),
];
