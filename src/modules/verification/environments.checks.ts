import { check } from './verification-check';

/** What keeps companies, and test and production, apart. */
export const environmentChecks = [
  check(
    'link-within-kind',
    'installation',
    'A bank link joins two different environments of one kind.',
    `
    SELECT l.environment_id, l.bank_environment_id, broken.problem
      FROM bank_links l
      LEFT JOIN environments e ON e.environment_id = l.environment_id
      LEFT JOIN environments b ON b.environment_id = l.bank_environment_id
      CROSS JOIN LATERAL (VALUES
        (e.environment_id IS NULL OR b.environment_id IS NULL, 'one of the two environments does not exist'),
        (e.kind <> b.kind, 'a test environment is linked with a production environment'),
        (l.environment_id = l.bank_environment_id, 'an environment is linked with itself'),
        (l.unlinked_at < l.linked_at, 'it ended before it began')
      ) AS broken (is_broken, problem)
     WHERE broken.is_broken`,
  ),
  check(
    'tag-once',
    'installation',
    'The tag in a transaction_id names one environment.',
    `
    SELECT min(e.environment_id) AS environment_id,
           'one tag with the environments ' || string_agg(e.environment_id::text, ', ' ORDER BY e.environment_id) AS problem
      FROM environments e
     GROUP BY e.transaction_tag
    HAVING count(*) > 1`,
  ),
  check(
    'environment-exists',
    'installation',
    'Whatever belongs to an environment belongs to one that exists.',
    `
    SELECT belonging.environment_id, belonging.name || ' of an environment that does not exist' AS problem
      FROM (
        SELECT DISTINCT t.environment_id, 'transactions' AS name FROM transactions t
        UNION ALL SELECT DISTINCT e.environment_id, 'events' FROM events e
        UNION ALL SELECT DISTINCT s.environment_id, 'supports' FROM supports s
        UNION ALL SELECT DISTINCT u.environment_id, 'users' FROM users u
        UNION ALL SELECT DISTINCT k.environment_id, 'key pairs' FROM key_pairs k
      ) AS belonging
     WHERE NOT EXISTS (SELECT FROM environments e WHERE e.environment_id = belonging.environment_id)`,
  ),
];
