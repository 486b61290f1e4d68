import { check } from './verification-check';

const readsTablesOnly = { readsTablesOnly: true };

/**
 * What must be there once. Each reads its table once, as a whole and without an index: asking the
 * index that should have kept a double out is asking the one who let it in.
 */
export const onceChecks = [
  check(
    'transaction-id-once',
    'installation',
    'transactions',
    'A transaction_id is there once in the whole installation.',
    `
    SELECT min(t.environment_id) AS environment_id, t.transaction_id,
           CASE WHEN count(DISTINCT t.environment_id) = 1 THEN 'it is there more than once'
                ELSE 'it is there in the environments '
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
    'One transaction for one idempotency key of an environment.',
    `
    SELECT t.environment_id, min(t.transaction_id) AS transaction_id,
           'one idempotency key with ' || string_agg(t.transaction_id, ', ' ORDER BY t.transaction_id) AS problem
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
    'A transaction is created once and completed once.',
    `
    SELECT e.environment_id, e.transaction_id, 'it has more than one ' || e.type || ' event' AS problem
      FROM events e
     WHERE e.type IN ('contribution.created', 'contribution.completed')
     GROUP BY e.environment_id, e.transaction_id, e.type
    HAVING count(*) > 1`,
    readsTablesOnly,
  ),
  check(
    'support-once',
    'installation',
    'supports',
    'A user supports a project once.',
    `
    SELECT s.environment_id, s.user_id, s.project_id, 'a support that is there more than once' AS problem
      FROM supports s
     GROUP BY s.environment_id, s.user_id, s.project_id
    HAVING count(*) > 1`,
    readsTablesOnly,
  ),
  check(
    'user-once',
    'installation',
    'users',
    'One user for one user_hash of an environment.',
    `
    SELECT u.environment_id, min(u.user_id) AS user_id,
           'one user_hash with ' || string_agg(u.user_id::text, ', ' ORDER BY u.user_id) AS problem
      FROM users u
     WHERE u.user_hash IS NOT NULL
     GROUP BY u.environment_id, u.user_hash
    HAVING count(*) > 1`,
    readsTablesOnly,
  ),
];
