import { check } from './verification-check';

/** Everything that happened has its record, and every record tells of what happened. */
export const eventChecks = [
  check(
    'creation-recorded',
    'environment',
    'A transaction has exactly one contribution.created event, with its project, its amount and who created it.',
    `
    SELECT t.environment_id, t.transaction_id, broken.problem
      FROM transactions t
      LEFT JOIN (
        SELECT e.transaction_id, count(*) AS copies, min(e.evidence ->> 'project_id') AS project_id,
               min(e.evidence ->> 'amount_cents') AS amount_cents, min(e.actor_environment_id) AS actor_environment_id,
               min(e.actor_api_key) AS actor_api_key
          FROM events e WHERE e.environment_id = $1 AND e.type = 'contribution.created'
         GROUP BY e.transaction_id
      ) AS created ON created.transaction_id = t.transaction_id
      CROSS JOIN LATERAL (VALUES
        (created.copies IS NULL, 'it has no contribution.created event'),
        (created.copies > 1, 'it has more than one contribution.created event'),
        (created.copies = 1 AND (created.project_id, created.amount_cents, created.actor_environment_id, created.actor_api_key)
           IS DISTINCT FROM (t.project_id::text, t.amount_cents::text, t.environment_id, t.created_by_api_key),
         'its contribution.created event tells something else')
      ) AS broken (is_broken, problem)
     WHERE t.environment_id = $1 AND broken.is_broken`,
  ),
  check(
    'completion-recorded',
    'environment',
    'A completed transaction has exactly one contribution.completed event, which agrees with it; a pending one has none.',
    `
    SELECT t.environment_id, t.transaction_id, broken.problem
      FROM transactions t
      LEFT JOIN (
        SELECT e.transaction_id, count(*) AS copies, min(e.evidence ->> 'amount_cents') AS amount_cents,
               min(e.evidence ->> 'bank_reference') AS bank_reference, min(e.evidence ->> 'value_date') AS value_date,
               min(e.actor_environment_id) AS actor_environment_id, min(e.actor_api_key) AS actor_api_key
          FROM events e WHERE e.environment_id = $1 AND e.type = 'contribution.completed'
         GROUP BY e.transaction_id
      ) AS completed ON completed.transaction_id = t.transaction_id
      CROSS JOIN LATERAL (VALUES
        (t.status = 'completed' AND completed.copies IS NULL, 'it is completed and has no contribution.completed event'),
        (t.status <> 'completed' AND completed.copies > 0, 'it has a contribution.completed event and is not completed'),
        (completed.copies > 1, 'it has more than one contribution.completed event'),
        (t.status = 'completed' AND completed.copies = 1
           AND ((completed.actor_environment_id, completed.actor_api_key, completed.bank_reference, completed.value_date)
             IS DISTINCT FROM (t.completed_by_environment_id, t.completed_by_api_key, t.bank_reference, t.value_date::text)
             OR completed.amount_cents <> t.amount_cents::text),
         'its contribution.completed event tells something else')
      ) AS broken (is_broken, problem)
     WHERE t.environment_id = $1 AND broken.is_broken`,
  ),
  check(
    'event-has-transaction',
    'environment',
    'Every event is of a known type and tells of a transaction that exists.',
    `
    SELECT e.environment_id, e.transaction_id, e.event_id, broken.problem
      FROM events e
      LEFT JOIN transactions t ON t.environment_id = e.environment_id AND t.transaction_id = e.transaction_id
      CROSS JOIN LATERAL (VALUES
        (t.transaction_id IS NULL, 'its transaction does not exist'),
        (e.type NOT IN ('contribution.created', 'contribution.completed', 'contribution.completion_refused',
          'contribution.completion_repeated'), 'its type is unknown')
      ) AS broken (is_broken, problem)
     WHERE e.environment_id = $1 AND broken.is_broken`,
  ),
];
