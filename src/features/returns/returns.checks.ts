import { check, pairsOfEnvironments, problemsOf } from '../../operator/verification/verification-check';

const kinds = `'return', 'reversal', 'chargeback', 'refund', 'recall'`;
const reasons = `'dishonored', 'chargeback_won', 'paid_again'`;

/** Checks returns, and the sums that follow from them. */
export const returnChecks = [
  check(
    'returned-amount-agrees',
    'environment',
    'transactions',
    'The returned amount of a transaction is the sum of its returns, minus those that were undone.',
    `
    WITH given AS (
      SELECT r.transaction_id, sum(CASE WHEN r.undoes IS NULL THEN r.amount_cents ELSE -r.amount_cents END) AS cents
        FROM money_returns r
       WHERE r.environment_id = $1
       GROUP BY r.transaction_id
    )
    SELECT t.environment_id, t.transaction_id, ${problemsOf({
      'its returned amount does not match its returns': `t.returned_cents <> COALESCE(given.cents, 0)`,
    })} AS problem
      FROM transactions t
      LEFT JOIN given ON given.transaction_id = t.transaction_id
     WHERE t.environment_id = $1`,
  ),
  check(
    'return-within-rules',
    'environment',
    'money_returns',
    'A return has a valid amount and kind. The environment that recorded it had completed its transaction. An undo belongs to a return of the same transaction.',
    `
    WITH undone AS (
      SELECT r.undoes, sum(r.amount_cents) AS cents
        FROM money_returns r
       WHERE r.environment_id = $1 AND r.undoes IS NOT NULL
       GROUP BY r.undoes
    ),
    pairs AS (${pairsOfEnvironments})
    SELECT r.environment_id, r.transaction_id, r.return_id, ${problemsOf({
      'its amount is out of bounds': `(r.amount_cents BETWEEN 1 AND 100000000000) IS NOT TRUE`,
      'its kind is unknown': `
        CASE WHEN r.undoes IS NULL THEN (r.kind IN (${kinds})) ELSE (r.kind IN (${reasons})) END IS NOT TRUE`,
      'it has no bank reference': `COALESCE(r.bank_reference, '') = ''`,
      'its transaction does not exist': `t.transaction_id IS NULL`,
      'its transaction is not completed': `t.status <> 'completed'`,
      'it was recorded by an environment that did not complete the transaction': `
        t.status = 'completed' AND r.recorded_by_environment_id IS DISTINCT FROM t.completed_by_environment_id`,
      'the key pair that recorded it does not belong to the environment that recorded it': `
        k.api_key IS NULL`,
      'it undoes a return that does not exist': `r.undoes IS NOT NULL AND o.return_id IS NULL`,
      'it undoes a return of another transaction': `o.transaction_id <> r.transaction_id`,
      'it undoes an undo': `o.undoes IS NOT NULL`,
      'more of it was undone than was returned': `undone.cents > r.amount_cents`,
    })} AS problem
      FROM money_returns r
      LEFT JOIN transactions t ON t.environment_id = r.environment_id AND t.transaction_id = r.transaction_id
      LEFT JOIN pairs k
        ON k.api_key = r.recorded_by_api_key AND k.environment_id = r.recorded_by_environment_id
      LEFT JOIN money_returns o ON o.environment_id = r.environment_id AND o.return_id = r.undoes
      LEFT JOIN undone ON undone.undoes = r.return_id
     WHERE r.environment_id = $1`,
  ),
  check(
    'return-recorded',
    'environment',
    'money_returns',
    'Every return has one event that agrees with it, and every such event has its return.',
    `
    WITH given AS (
      SELECT r.return_id::text AS id, r.transaction_id,
             CASE WHEN r.undoes IS NOT NULL THEN e.undone ELSE e.returned END AS type,
             jsonb_strip_nulls(jsonb_build_object(
               'return_id', r.return_id, 'undoes', r.undoes, 'kind', r.kind, 'code', r.code,
               'amount_cents', r.amount_cents, 'bank_reference', r.bank_reference, 'value_date', r.value_date)) AS evidence,
             r.recorded_by_environment_id AS actor_id, r.recorded_by_api_key AS actor_key
        FROM money_returns r
       CROSS JOIN (SELECT 'contribution.returned' AS returned, 'contribution.return_undone' AS undone) AS e
       WHERE r.environment_id = $1
    ),
    recorded AS (
      SELECT e.evidence ->> 'return_id' AS id, e.transaction_id, e.event_id, e.type, e.evidence, e.actor_environment_id,
             e.actor_api_key, count(*) OVER (PARTITION BY e.evidence ->> 'return_id') AS events
        FROM events e
       WHERE e.environment_id = $1 AND e.type IN ('contribution.returned', 'contribution.return_undone')
    )
    SELECT $1::integer AS environment_id, COALESCE(given.transaction_id, recorded.transaction_id) AS transaction_id,
           given.id AS return_id, recorded.event_id, ${problemsOf({
             'the return has no event': `recorded.event_id IS NULL`,
             'the event has no return': `given.id IS NULL`,
             'the return has more than one event': `recorded.events > 1`,
             'the event does not match its return': `
               (given.transaction_id, given.type, given.evidence, given.actor_id, given.actor_key)
                 <> (recorded.transaction_id, recorded.type, recorded.evidence, recorded.actor_environment_id,
                     recorded.actor_api_key)`,
           })} AS problem
      FROM given FULL JOIN recorded ON recorded.id = given.id`,
  ),
];
