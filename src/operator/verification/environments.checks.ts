import { check, problemsOf } from './verification-check';

/** Checks that companies are separate from each other, and test from production. */
export const environmentChecks = [
  check(
    'link-within-kind',
    'installation',
    'bank_links',
    'A bank link joins two different environments of the same kind. Only one link between them is active. A link ends before it is voided.',
    `
    SELECT l.environment_id, l.bank_environment_id, ${problemsOf({
      'one of the two environments does not exist': `e.environment_id IS NULL OR b.environment_id IS NULL`,
      'a test environment is linked with a production environment': `e.kind <> b.kind`,
      'its kind differs from that of its environments': `l.kind <> e.kind AND e.kind = b.kind`,
      'an environment is linked with itself': `l.environment_id = l.bank_environment_id`,
      'it ended before it began': `l.unlinked_at < l.linked_at`,
      'it was voided before it ended': `l.voided_at IS NOT NULL AND COALESCE(l.voided_at < l.unlinked_at, true)`,
      'it was voided although its bank is simulated': `l.voided_at IS NOT NULL AND l.bank_environment_id < 0`,
    })} AS problem
      FROM bank_links l
      LEFT JOIN environments e ON e.environment_id = l.environment_id
      LEFT JOIN environments b ON b.environment_id = l.bank_environment_id
    UNION ALL
    SELECT l.environment_id, l.bank_environment_id, 'it is active more than once'
      FROM bank_links l WHERE l.unlinked_at IS NULL
     GROUP BY l.environment_id, l.bank_environment_id
    HAVING count(*) > 1`,
    { readsTablesOnly: true },
  ),
  check(
    'tag-once',
    'installation',
    'environments',
    'The tag in a transaction_id identifies one environment that is not retired, and one company.',
    `
    SELECT min(e.environment_id) AS environment_id,
           'one tag for the environments ' || string_agg(e.environment_id::text, ', ' ORDER BY e.environment_id) AS problem
      FROM environments e
     GROUP BY e.transaction_tag
    HAVING count(*) FILTER (WHERE e.retired_at IS NULL) > 1 OR count(DISTINCT (e.company_id, e.kind)) > 1`,
    { readsTablesOnly: true },
  ),
  check(
    'reset-complete',
    'installation',
    'environments',
    'A reset retires a test environment only. It leaves no live key pair and no active link there, and its company has one environment that is not retired.',
    `
    SELECT e.environment_id, ${problemsOf({
      'a production environment is retired': `e.kind <> 'test'`,
      'it is retired but has a key pair that was not revoked': `
        EXISTS (SELECT FROM key_pairs k WHERE k.environment_id = e.environment_id AND k.revoked_at IS NULL)`,
      'it is retired but has an active bank link': `
        EXISTS (SELECT FROM bank_links l
                 WHERE (l.environment_id = e.environment_id OR l.bank_environment_id = e.environment_id)
                   AND l.unlinked_at IS NULL)`,
      'it is retired and no environment has replaced it': `
        NOT EXISTS (SELECT FROM environments n
                     WHERE n.company_id = e.company_id AND n.kind = e.kind AND n.retired_at IS NULL)`,
    })} AS problem
      FROM environments e WHERE e.retired_at IS NOT NULL
    UNION ALL
    SELECT min(e.environment_id), 'one company has several environments of kind ' || e.kind || ' that are not retired'
      FROM environments e WHERE e.retired_at IS NULL AND e.environment_id > 0
     GROUP BY e.company_id, e.kind
    HAVING count(*) > 1`,
    { readsTablesOnly: true },
  ),
  check(
    'environment-exists',
    'installation',
    'transactions',
    'Every row belongs to an environment that exists and was not purged.',
    `
    SELECT belonging.environment_id, belonging.name || ' '
           || CASE WHEN e.environment_id IS NULL THEN 'of an environment that does not exist'
                   ELSE 'of an environment that was purged' END AS problem
      FROM (
        SELECT DISTINCT t.environment_id, 'transactions' AS name FROM transactions t
        UNION ALL SELECT DISTINCT e.environment_id, 'events' FROM events e
        UNION ALL SELECT DISTINCT r.environment_id, 'returns' FROM money_returns r
        UNION ALL SELECT DISTINCT u.environment_id, 'statements' FROM statement_uploads u
        UNION ALL SELECT DISTINCT s.environment_id, 'supports' FROM supports s
        UNION ALL SELECT DISTINCT u.environment_id, 'users' FROM users u
        UNION ALL SELECT DISTINCT k.environment_id, 'key pairs' FROM key_pairs k
      ) AS belonging
      LEFT JOIN environments e ON e.environment_id = belonging.environment_id
     WHERE e.environment_id IS NULL OR (e.purged_at IS NOT NULL AND belonging.name <> 'key pairs')`,
    { readsTablesOnly: true },
  ),
];
