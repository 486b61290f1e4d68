import { simulatedBank } from '../../shared/simulated-bank';
import { check, pairsOfEnvironments, problemsOf } from './verification-check';

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

/**
 * A link or a revocation may commit during a completion that does not see it yet. The checks
 * therefore ignore differences below this time. The service's queries take only seconds.
 */
const margin = `interval '1 minute'`;

/**
 * The API-Key and the environment in completions of the sandbox's simulated bank, which has no key
 * pair.
 */
const asSimulatedBank = `'${simulatedBank.apiKey}', ${simulatedBank.environmentId}`;

/**
 * The rules for each row. They repeat the constraints of the schema, which may have been dropped.
 */
export const transactionChecks = [
  check(
    'transaction-within-rules',
    'environment',
    'transactions',
    'A transaction has a valid amount, currency and status, and the columns that its status requires.',
    `
    SELECT t.environment_id, t.transaction_id, ${problemsOf({
      'its amount is out of bounds': `(t.amount_cents BETWEEN 1 AND 100000000000) IS NOT TRUE`,
      'its currency is unknown': `(t.currency = 'USD') IS NOT TRUE`,
      'its status is unknown': `(t.status IN ('pending', 'completed')) IS NOT TRUE`,
      'it is completed without a time, environment or key pair of the completion': `
        t.status = 'completed' AND (t.completed_at IS NULL OR t.completed_by_environment_id IS NULL
          OR t.completed_by_api_key IS NULL)`,
      'it is not completed but has columns of a completion': `
        t.status <> 'completed' AND (t.completed_at IS NOT NULL OR t.completed_by_environment_id IS NOT NULL
          OR t.completed_by_api_key IS NOT NULL OR t.bank_reference IS NOT NULL OR t.value_date IS NOT NULL)`,
      'it was completed before it was created': `t.completed_at < t.created_at`,
      'its returned amount is out of bounds': `(t.returned_cents BETWEEN 0 AND t.amount_cents) IS NOT TRUE`,
      'money was returned although it is not completed': `t.status <> 'completed' AND t.returned_cents > 0`,
      'it is corrected although it is not completed, or money was returned': `
        t.corrected_at IS NOT NULL AND (t.status <> 'completed' OR t.returned_cents <> 0)`,
    })} AS problem
      FROM transactions t
     WHERE t.environment_id = $1`,
  ),
  check(
    'transaction-id-well-formed',
    'environment',
    'transactions',
    "A transaction_id is well formed, with its environment's tag and the check character of ISO 7064 MOD 37,36.",
    `
    SELECT t.environment_id, t.transaction_id, ${problemsOf({
      'the transaction_id is malformed': `t.transaction_id !~ '^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{14}$'`,
      'the transaction_id has the tag of another environment': `left(t.transaction_id, 4) <> e.transaction_tag`,
      'its check character is wrong': `
        length(t.transaction_id) = 15 AND right(t.transaction_id, 1) <> ${checkCharacterOf('t.transaction_id')}`,
    })} AS problem
      FROM transactions t
      JOIN environments e ON e.environment_id = t.environment_id
     WHERE t.environment_id = $1`,
  ),
  check(
    'transaction-belongs-together',
    'environment',
    'transactions',
    'The user, the project and the key pairs of a transaction exist and belong to the right environment.',
    `
    WITH pairs AS (${pairsOfEnvironments})
    SELECT t.environment_id, t.transaction_id, ${problemsOf({
      'its user does not exist': `u.user_id IS NULL`,
      'its project does not exist': `p.project_id IS NULL`,
      'it was created by a key pair of another environment': `
        creator.api_key IS NULL`,
      'the key pair that completed it does not belong to the environment that completed it': `
        t.completed_by_api_key IS NOT NULL
          AND (t.completed_by_api_key, t.completed_by_environment_id) <> (${asSimulatedBank})
          AND completer.api_key IS NULL`,
    })} AS problem
      FROM transactions t
      LEFT JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id
      LEFT JOIN projects p ON p.project_id = t.project_id
      LEFT JOIN pairs creator
        ON creator.api_key = t.created_by_api_key AND creator.environment_id = t.environment_id
      LEFT JOIN pairs completer
        ON completer.api_key = t.completed_by_api_key AND completer.environment_id = t.completed_by_environment_id
     WHERE t.environment_id = $1`,
  ),
  check(
    'completed-by-right',
    'environment',
    'transactions',
    'A transaction was completed by a bank that was linked, or by its own environment if no bank was linked. A link that was voided counts only for its bank, and only before that.',
    `
    SELECT t.environment_id, t.transaction_id,
           CASE WHEN t.completed_by_environment_id = t.environment_id
                THEN 'its own environment completed it although a bank was linked'
                ELSE 'environment ' || t.completed_by_environment_id || ' completed it but was not its bank' END AS problem
      FROM transactions t
     WHERE t.environment_id = $1 AND t.completed_by_environment_id IS NOT NULL
       AND CASE WHEN t.completed_by_environment_id = t.environment_id
           THEN EXISTS (
             SELECT FROM bank_links l
              WHERE l.environment_id = t.environment_id AND l.voided_at IS NULL
                AND l.linked_at < t.completed_at - ${margin}
                AND (l.unlinked_at IS NULL OR l.unlinked_at > t.completed_at + ${margin}
                     OR (t.created_at >= l.linked_at AND t.created_at < l.unlinked_at)))
           ELSE NOT EXISTS (
             SELECT FROM bank_links l
              WHERE l.environment_id = t.environment_id AND l.bank_environment_id = t.completed_by_environment_id
                AND l.linked_at < t.completed_at + ${margin}
                AND (l.voided_at IS NULL OR l.voided_at > t.completed_at - ${margin})
                AND (l.unlinked_at IS NULL OR l.unlinked_at > t.completed_at - ${margin}
                     OR (t.created_at >= l.linked_at AND t.created_at < l.unlinked_at)))
           END`,
  ),
  check(
    'completed-by-live-key',
    'environment',
    'transactions',
    'The key pair that completed a transaction was live at that time.',
    `
    SELECT t.environment_id, t.transaction_id, ${problemsOf({
      'it was completed by a key pair that did not exist yet': `k.created_at > t.completed_at + ${margin}`,
      'it was completed by a key pair that had been revoked or had expired': `
        LEAST(k.revoked_at, k.expires_at) < t.completed_at - ${margin}`,
    })} AS problem
      FROM transactions t
      JOIN key_pairs k ON k.api_key = t.completed_by_api_key
     WHERE t.environment_id = $1`,
  ),
  check(
    'time-not-ahead',
    'environment',
    'transactions',
    "No transaction was created or completed in the future, by the database's clock.",
    // A clock that was set back leaves such rows, which are harmless.
    `
    SELECT t.environment_id, t.transaction_id, 'its time is in the future by the clock of the database' AS problem
      FROM transactions t
     WHERE t.environment_id = $1 AND GREATEST(t.created_at, t.completed_at) > now() + interval '5 minutes'`,
    { severity: 'note' },
  ),
];
