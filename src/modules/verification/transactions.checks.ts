import { check } from './verification-check';

const checkAlphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const checkedCharacters = 14;

/** The ISO 7064 MOD 37,36 check character of the first characters of an id, as SQL. */
function checkCharacterOf(id: string): string {
  let product = '36';
  for (let place = 1; place <= checkedCharacters; place += 1) {
    const value = `strpos('${checkAlphabet}', substr(${id}, ${place}, 1)) - 1`;
    product = `COALESCE(NULLIF((${product} + ${value}) % 36, 0), 36) * 2 % 37`;
  }
  return `substr('${checkAlphabet}', (37 - ${product}) % 36 + 1, 1)`;
}

/** The rules of the rows themselves. They repeat what the schema enforces: a constraint may have been dropped. */
export const transactionChecks = [
  check(
    'transaction-within-rules',
    'environment',
    'A transaction has an amount within bounds, a known currency and status, and what belongs to its status.',
    `
    SELECT t.environment_id, t.transaction_id, broken.problem
      FROM transactions t
      CROSS JOIN LATERAL (VALUES
        (t.amount_cents NOT BETWEEN 1 AND 100000000000, 'its amount is out of bounds'),
        (t.currency <> 'USD', 'its currency is unknown'),
        (t.status NOT IN ('pending', 'completed'), 'its status is unknown'),
        (t.status = 'completed' AND (t.completed_at IS NULL OR t.completed_by_environment_id IS NULL
           OR t.completed_by_api_key IS NULL), 'it is completed, and not said when and by whom'),
        (t.status <> 'completed' AND (t.completed_at IS NOT NULL OR t.completed_by_environment_id IS NOT NULL
           OR t.completed_by_api_key IS NOT NULL OR t.bank_reference IS NOT NULL OR t.value_date IS NOT NULL),
         'it is not completed, and has what only a completion leaves'),
        (t.completed_at < t.created_at, 'it was completed before it was created')
      ) AS broken (is_broken, problem)
     WHERE t.environment_id = $1 AND broken.is_broken`,
  ),
  check(
    'transaction-id-well-formed',
    'environment',
    "A transaction_id has the form, its environment's tag and the check character of ISO 7064 MOD 37,36, and is there once.",
    `
    WITH ids AS (
      SELECT t.environment_id, t.transaction_id, count(*) AS copies
        FROM transactions t WHERE t.environment_id = $1
       GROUP BY t.environment_id, t.transaction_id
    )
    SELECT ids.environment_id, ids.transaction_id, broken.problem
      FROM ids
      JOIN environments e ON e.environment_id = ids.environment_id
      CROSS JOIN LATERAL (VALUES
        (ids.copies > 1, 'it is there more than once'),
        (ids.transaction_id !~ '^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{14}$', 'it has not the form of an id'),
        (left(ids.transaction_id, 4) <> e.transaction_tag, 'it has the tag of another environment'),
        (right(ids.transaction_id, 1) <> ${checkCharacterOf('ids.transaction_id')}, 'its check character is wrong')
      ) AS broken (is_broken, problem)
     WHERE broken.is_broken`,
  ),
  check(
    'idempotency-key-once',
    'environment',
    'One transaction for one idempotency key of an environment.',
    `
    SELECT t.environment_id, min(t.transaction_id) AS transaction_id,
           'one idempotency key with ' || string_agg(t.transaction_id, ', ' ORDER BY t.transaction_id) AS problem
      FROM transactions t
     WHERE t.environment_id = $1 AND t.idempotency_key IS NOT NULL
     GROUP BY t.environment_id, t.idempotency_key
    HAVING count(*) > 1`,
  ),
  check(
    'transaction-belongs-together',
    'environment',
    'The user, the project and the key pairs that a transaction names exist, and are of the right environment.',
    `
    SELECT t.environment_id, t.transaction_id, broken.problem
      FROM transactions t
      LEFT JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id
      LEFT JOIN projects p ON p.project_id = t.project_id
      LEFT JOIN key_pairs creator ON creator.api_key = t.created_by_api_key
      LEFT JOIN key_pairs completer ON completer.api_key = t.completed_by_api_key
      CROSS JOIN LATERAL (VALUES
        (u.user_id IS NULL, 'its user does not exist'),
        (p.project_id IS NULL, 'its project does not exist'),
        (creator.environment_id IS DISTINCT FROM t.environment_id, 'it was created by a key pair that is not of its environment'),
        (t.completed_by_api_key IS NOT NULL AND completer.environment_id IS DISTINCT FROM t.completed_by_environment_id,
         'it was completed by a key pair that is not of the environment that completed it')
      ) AS broken (is_broken, problem)
     WHERE t.environment_id = $1 AND broken.is_broken`,
  ),
  check(
    'completed-by-right',
    'environment',
    'A transaction was completed by its own environment while no bank was linked for it, or by a bank that was.',
    // Links are read and made at the same time, so a minute around the making or the end of a link is not judged.
    `
    SELECT t.environment_id, t.transaction_id,
           CASE WHEN t.completed_by_environment_id = t.environment_id
                THEN 'its own environment completed it although a bank was linked'
                ELSE 'environment ' || t.completed_by_environment_id || ' completed it and was not its bank' END AS problem
      FROM transactions t
     WHERE t.environment_id = $1 AND t.completed_by_environment_id IS NOT NULL
       AND CASE WHEN t.completed_by_environment_id = t.environment_id
           THEN EXISTS (
             SELECT FROM bank_links l
              WHERE l.environment_id = t.environment_id
                AND l.linked_at < t.completed_at - interval '1 minute'
                AND (l.unlinked_at IS NULL OR l.unlinked_at > t.completed_at + interval '1 minute'
                     OR (t.created_at >= l.linked_at AND t.created_at < l.unlinked_at)))
           ELSE NOT EXISTS (
             SELECT FROM bank_links l
              WHERE l.environment_id = t.environment_id AND l.bank_environment_id = t.completed_by_environment_id
                AND l.linked_at < t.completed_at + interval '1 minute'
                AND (l.unlinked_at IS NULL OR l.unlinked_at > t.completed_at - interval '1 minute'
                     OR (t.created_at >= l.linked_at AND t.created_at < l.unlinked_at)))
           END`,
  ),
];
