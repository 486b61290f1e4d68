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
     WHERE t.environment_id = $1`,
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
          'contribution.return_undone')) IS NOT TRUE`,
      'a completion was rejected although its amount matched': `
        e.type = 'contribution.completion_refused' AND t.transaction_id IS NOT NULL
          AND (e.evidence ->> 'amount_cents' = t.amount_cents::text) IS NOT FALSE`,
      'a completion was repeated although the transaction is pending': `
        e.type = 'contribution.completion_repeated' AND t.status = 'pending'`,
      'a repeated completion was recorded without new evidence': `
        e.type = 'contribution.completion_repeated' AND t.status = 'completed'
          AND (e.evidence ->> 'bank_reference' IS NULL OR e.evidence ->> 'bank_reference' = t.bank_reference)
          AND (e.evidence ->> 'value_date' IS NULL OR e.evidence ->> 'value_date' = t.value_date::text)`,
      'a completion was repeated by an environment that did not complete it': `
        e.type = 'contribution.completion_repeated' AND t.status = 'completed'
          AND e.actor_environment_id <> t.completed_by_environment_id`,
      'a completion was contested although the transaction is pending': `
        e.type = 'contribution.completion_contested' AND t.status = 'pending'`,
      'a completion was contested by the environment that completed it': `
        e.type = 'contribution.completion_contested' AND e.actor_environment_id = t.completed_by_environment_id`,
    })} AS problem
      FROM events e
      LEFT JOIN transactions t ON t.environment_id = e.environment_id AND t.transaction_id = e.transaction_id
     WHERE e.environment_id = $1`,
  ),
];
