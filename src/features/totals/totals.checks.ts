import { check, problemsOf } from '../../operator/verification/verification-check';

const lastChangeOfLinks = (time: string): string =>
  `COALESCE((SELECT max(c.at) FROM changes c WHERE c.at <= ${time}), '-infinity')`;

const since = `CASE WHEN p.state <> 'corrected' THEN ${lastChangeOfLinks('p.completed_at')} ELSE 'infinity' END`;

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
    -- Where each contribution is: pending, completed or corrected.
    facts AS (
      SELECT t.transaction_id, t.completion,
             CASE WHEN t.corrected_at IS NULL THEN t.status ELSE 'corrected' END AS state, 1 AS contributions,
             t.returned_cents
        FROM transactions t
       WHERE t.environment_id = $1
       UNION ALL
      SELECT e.transaction_id, e.completion - moved.back, moved.state, moved.contributions,
             CASE e.type WHEN 'contribution.returned' THEN -(e.evidence ->> 'amount_cents')::bigint
                         WHEN 'contribution.return_undone' THEN (e.evidence ->> 'amount_cents')::bigint
                         ELSE 0 END
        FROM waiting
        JOIN events e ON e.environment_id = $1 AND e.event_id = waiting.event_id
        JOIN (VALUES
          ('contribution.created', true, 'pending', -1, 0), ('contribution.completed', true, 'pending', 1, 0),
          ('contribution.completed', false, 'corrected', 1, 1), ('contribution.completed', NULL, 'completed', -1, 0),
          ('contribution.corrected', NULL, 'completed', 1, 0), ('contribution.corrected', NULL, 'corrected', -1, 0),
          ('contribution.returned', NULL, 'completed', 0, 0), ('contribution.return_undone', NULL, 'completed', 0, 0)
        ) AS moved (type, is_first, state, contributions, back)
          ON moved.type = e.type AND COALESCE(moved.is_first = (e.completion = 1), true)
    ),
    -- A completion that was taken back is in its correction.
    placed AS (
      SELECT t.project_id, t.amount_cents, facts.state, facts.contributions, facts.returned_cents,
             (t.created_at AT TIME ZONE 'UTC')::date AS created_on,
             ${lastChangeOfLinks('t.created_at')} AS created_since,
             CASE WHEN k.completion IS NULL THEN t.completed_by_environment_id ELSE k.completed_by_environment_id END
               AS completed_by,
             CASE WHEN k.completion IS NULL THEN t.completed_at ELSE k.completed_at END AS completed_at,
             CASE WHEN k.completion IS NULL THEN t.value_date ELSE k.value_date END AS value_date
        FROM facts
        JOIN transactions t ON t.environment_id = $1 AND t.transaction_id = facts.transaction_id
        LEFT JOIN corrections k ON k.environment_id = $1 AND k.transaction_id = facts.transaction_id
         AND k.completion = facts.completion
    ),
    given AS (
      SELECT part.basis, part.day, p.project_id, part.completed_by AS completed_by_environment_id, p.created_since,
             part.completed_since, sum(p.contributions) AS contributions,
             sum(p.contributions * p.amount_cents) AS amount_cents, sum(p.returned_cents) AS returned_cents
        FROM placed p
       CROSS JOIN LATERAL (VALUES
          ('created', p.created_on, true, 0, timestamptz '-infinity'),
          ('created', p.created_on, false, p.completed_by, ${since}),
          ('completed', (p.completed_at AT TIME ZONE 'UTC')::date, false, p.completed_by, ${since}),
          ('value_date', p.value_date, false, p.completed_by, ${since})
       ) AS part (basis, day, is_pending, completed_by, completed_since)
       WHERE part.day IS NOT NULL AND part.is_pending = (p.state = 'pending')
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
