import { check, problemsOf } from './verification-check';

/** Checks that events and transactions agree. */
export const eventChecks = [
  check(
    'creation-recorded',
    'environment',
    'transactions',
    'A transaction has a contribution.created event with the same project, amount and creator.',
    `
    SELECT t.environment_id, t.transaction_id, created.event_id, ${problemsOf({
      'it has no contribution.created event': `created.type IS NULL`,
      'its contribution.created event does not match it': `
        created.type IS NOT NULL AND (created.evidence ->> 'project_id', created.evidence ->> 'amount_cents',
          created.actor_environment_id, created.actor_api_key) IS DISTINCT FROM (t.project_id::text,
          t.amount_cents::text, t.environment_id, t.created_by_api_key)`,
    })} AS problem
      FROM transactions t
      LEFT JOIN events created ON created.environment_id = t.environment_id
       AND created.transaction_id = t.transaction_id AND created.type = 'contribution.created'
     WHERE t.environment_id = $1`,
  ),
  check(
    'completion-recorded',
    'environment',
    'transactions',
    'A completed transaction has a contribution.completed event that agrees with it. A pending one has none.',
    `
    SELECT t.environment_id, t.transaction_id, completed.event_id, ${problemsOf({
      'it is completed but has no contribution.completed event': `t.status = 'completed' AND completed.type IS NULL`,
      'it has a contribution.completed event but is not completed': `
        t.status <> 'completed' AND completed.type IS NOT NULL`,
      'its contribution.completed event does not match it': `
        t.status = 'completed' AND completed.type IS NOT NULL AND ((completed.actor_environment_id,
          completed.actor_api_key, completed.evidence ->> 'bank_reference', completed.evidence ->> 'value_date')
          IS DISTINCT FROM (t.completed_by_environment_id, t.completed_by_api_key, t.bank_reference,
          t.value_date::text) OR completed.evidence ->> 'amount_cents' <> t.amount_cents::text)`,
    })} AS problem
      FROM transactions t
      LEFT JOIN events completed ON completed.environment_id = t.environment_id
       AND completed.transaction_id = t.transaction_id AND completed.type = 'contribution.completed'
       AND completed.completion = t.completion
     WHERE t.environment_id = $1`,
  ),
  check(
    'correction-recorded',
    'environment',
    'corrections',
    'A correction names a completion with its contribution.completed event, and has one contribution.corrected event with its actor. The transaction has the next completion, or is corrected.',
    `
    SELECT c.environment_id, c.transaction_id, corrected.event_id, ${problemsOf({
      'it has no contribution.corrected event': `corrected.type IS NULL`,
      'its contribution.corrected event has another actor': `
        corrected.type IS NOT NULL AND (corrected.actor_environment_id, corrected.actor_api_key, corrected.actor_login)
          IS DISTINCT FROM (c.actor_environment_id, c.actor_api_key, c.actor_login)`,
      'the completion that it takes back does not match its contribution.completed event': `
        (completed.actor_environment_id, completed.actor_api_key, completed.evidence ->> 'bank_reference',
         completed.evidence ->> 'value_date') IS DISTINCT FROM (c.completed_by_environment_id,
         c.completed_by_api_key, c.bank_reference, c.value_date::text)`,
      'its transaction does not follow from it': `
        t.transaction_id IS NULL OR t.completion < c.completion
          OR (t.completion = c.completion AND t.corrected_at IS DISTINCT FROM c.recorded_at)`,
    })} AS problem
      FROM corrections c
      LEFT JOIN transactions t ON t.environment_id = c.environment_id AND t.transaction_id = c.transaction_id
      LEFT JOIN events corrected ON corrected.environment_id = c.environment_id
       AND corrected.transaction_id = c.transaction_id AND corrected.type = 'contribution.corrected'
       AND corrected.completion = c.completion
      LEFT JOIN events completed ON completed.environment_id = c.environment_id
       AND completed.transaction_id = c.transaction_id AND completed.type = 'contribution.completed'
       AND completed.completion = c.completion
     WHERE c.environment_id = $1
     UNION ALL
    SELECT t.environment_id, t.transaction_id, NULL, 'it is corrected or completed again without a correction'
      FROM transactions t
     WHERE t.environment_id = $1 AND (t.completion > 1 OR t.corrected_at IS NOT NULL)
       AND t.completion - (t.corrected_at IS NULL)::integer
           <> (SELECT count(*) FROM corrections c
                WHERE c.environment_id = $1 AND c.transaction_id = t.transaction_id)
     UNION ALL
    SELECT e.environment_id, e.transaction_id, e.event_id, 'a contribution.corrected event has no correction'
      FROM events e
     WHERE e.environment_id = $1 AND e.type = 'contribution.corrected'
       AND NOT EXISTS (SELECT FROM corrections c
                        WHERE c.environment_id = $1 AND c.transaction_id = e.transaction_id
                          AND c.completion = e.completion)`,
  ),
  check(
    'event-has-transaction',
    'environment',
    'events',
    'Every event has a known type, an existing transaction, and evidence that fits the transaction.',
    `
    SELECT e.environment_id, e.transaction_id, e.event_id, ${problemsOf({
      'its transaction does not exist': `t.transaction_id IS NULL`,
      'its type is unknown': `
        (e.type IN ('contribution.created', 'contribution.completed', 'contribution.completion_refused',
          'contribution.completion_repeated', 'contribution.completion_contested', 'contribution.returned',
          'contribution.return_undone', 'contribution.corrected')) IS NOT TRUE`,
      'a completion was rejected although its amount matched': `
        e.type = 'contribution.completion_refused' AND t.transaction_id IS NOT NULL
          AND (e.evidence ->> 'amount_cents' = t.amount_cents::text) IS NOT FALSE`,
      'a completion was repeated although the transaction is pending': `
        e.type = 'contribution.completion_repeated' AND t.status = 'pending'`,
      'a repeated completion was recorded without new evidence': `
        e.type = 'contribution.completion_repeated' AND t.status = 'completed' AND e.completion = t.completion
          AND (e.evidence ->> 'net_amount_is_zero') IS NULL
          AND (e.evidence ->> 'bank_reference' IS NULL OR e.evidence ->> 'bank_reference' = t.bank_reference)
          AND (e.evidence ->> 'value_date' IS NULL OR e.evidence ->> 'value_date' = t.value_date::text)`,
      'a completion was repeated by an environment that did not complete it': `
        e.type = 'contribution.completion_repeated' AND t.status = 'completed' AND e.completion = t.completion
          AND (e.evidence ->> 'net_amount_is_zero') IS NULL
          AND e.actor_environment_id <> t.completed_by_environment_id`,
      'a completion was contested although the transaction is pending': `
        e.type = 'contribution.completion_contested' AND t.status = 'pending'`,
      'a completion was contested by the environment that completed it': `
        e.type = 'contribution.completion_contested' AND e.completion = t.completion
          AND e.actor_environment_id = t.completed_by_environment_id`,
    })} AS problem
      FROM events e
      LEFT JOIN transactions t ON t.environment_id = e.environment_id AND t.transaction_id = e.transaction_id
     WHERE e.environment_id = $1`,
  ),
];
