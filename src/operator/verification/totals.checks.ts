import { check, problemsOf } from './verification-check';

const lastChangeOfLinks = (time: string): string =>
  `COALESCE((SELECT max(c.at) FROM changes c WHERE c.at <= ${time}), '-infinity')`;

/** Checks that stored totals equal the sums of the contributions and returns that they count. */
export const totalsChecks = [
  check(
    'contribution-totals-agree',
    'environment',
    'contribution_totals',
    'The totals of contributions, plus the events that are not counted yet, match the contributions and their returns.',
    `
    WITH changes AS MATERIALIZED (
      SELECT l.linked_at AS at FROM bank_links l WHERE l.environment_id = $1
       UNION
      SELECT l.unlinked_at FROM bank_links l WHERE l.environment_id = $1 AND l.unlinked_at IS NOT NULL
    ),
    waiting AS (
      SELECT q.event_id FROM event_queue q WHERE q.environment_id = $1
       UNION ALL
      SELECT f.event_id FROM feed_events f
       WHERE f.environment_id = $1 AND f.owner_environment_id = $1
         AND f.sequence > COALESCE((SELECT c.sequence FROM contribution_totals_counted c WHERE c.environment_id = $1), 0)
    ),
    facts AS (
      SELECT t.transaction_id, 1 AS created, (t.completed_at IS NOT NULL)::integer AS completed, t.returned_cents
        FROM transactions t
       WHERE t.environment_id = $1
       UNION ALL
      SELECT e.transaction_id, -(e.type = 'contribution.created')::integer,
             -(e.type = 'contribution.completed')::integer,
             CASE e.type WHEN 'contribution.returned' THEN -(e.evidence ->> 'amount_cents')::bigint
                         WHEN 'contribution.return_undone' THEN (e.evidence ->> 'amount_cents')::bigint
                         ELSE 0 END
        FROM waiting
        JOIN events e ON e.environment_id = $1 AND e.event_id = waiting.event_id
    ),
    placed AS (
      SELECT t.project_id, t.amount_cents, t.completed_by_environment_id AS completed_by, facts.created,
             facts.completed, facts.returned_cents, (t.created_at AT TIME ZONE 'UTC')::date AS created_on,
             (t.completed_at AT TIME ZONE 'UTC')::date AS completed_on, t.value_date,
             ${lastChangeOfLinks('t.created_at')} AS created_since,
             ${lastChangeOfLinks('t.completed_at')} AS completed_since
        FROM facts
        JOIN transactions t ON t.environment_id = $1 AND t.transaction_id = facts.transaction_id
    ),
    given AS (
      SELECT part.basis, part.day, p.project_id, part.completed_by AS completed_by_environment_id, p.created_since,
             part.completed_since, sum(part.contributions) AS contributions,
             sum(part.contributions * p.amount_cents) AS amount_cents, sum(part.returned_cents) AS returned_cents
        FROM placed p
       CROSS JOIN LATERAL (VALUES
          ('created', p.created_on, 0, timestamptz '-infinity', p.created - p.completed, 0),
          ('created', p.created_on, p.completed_by, p.completed_since, p.completed, p.returned_cents),
          ('completed', p.completed_on, p.completed_by, p.completed_since, p.completed, p.returned_cents),
          ('value_date', p.value_date, p.completed_by, p.completed_since, p.completed, p.returned_cents)
       ) AS part (basis, day, completed_by, completed_since, contributions, returned_cents)
       WHERE part.day IS NOT NULL AND part.completed_by IS NOT NULL
       GROUP BY part.basis, part.day, p.project_id, part.completed_by, p.created_since, part.completed_since
    ),
    recorded AS (SELECT s.* FROM contribution_totals s WHERE s.environment_id = $1)
    SELECT $1::integer AS environment_id, project_id, ${problemsOf({
      'a number of contributions does not match': `
        COALESCE(recorded.contributions, 0) <> COALESCE(given.contributions, 0)`,
      'a sum of amounts does not match': `
        COALESCE(recorded.amount_cents, 0) <> COALESCE(given.amount_cents, 0)`,
      'a sum of returns does not match': `
        COALESCE(recorded.returned_cents, 0) <> COALESCE(given.returned_cents, 0)`,
    })} AS problem
      FROM recorded FULL JOIN given
     USING (basis, day, project_id, completed_by_environment_id, created_since, completed_since)
     -- Nobody reads the totals of a retired environment, and a purge deletes its rows in several
     -- steps.
     WHERE EXISTS (SELECT FROM environments e WHERE e.environment_id = $1 AND e.retired_at IS NULL)`,
  ),
];
