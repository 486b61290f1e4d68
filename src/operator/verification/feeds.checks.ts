import { check, problemsOf } from './verification-check';

/** The feeds delete events after this time. */
const isExpired = (time: string): string => `${time} < clock_timestamp() - interval '180 days'`;

/**
 * Selects the environment if it was purged. A purge deletes its feed and its events, but not their
 * copies elsewhere.
 */
const purged = (environmentId: string): string =>
  `SELECT FROM environments p WHERE p.environment_id = ${environmentId} AND p.purged_at IS NOT NULL`;

/**
 * Checks that every event is in the feeds of its audience once, and that its numbers have no gaps.
 */
export const feedChecks = [
  check(
    'event-in-feed',
    'environment',
    'events',
    'Every event is either queued for the feeds or in the feed of its environment.',
    `
    SELECT e.environment_id, e.transaction_id, e.event_id, ${problemsOf({
      'it is neither queued nor in the feed': `
        q.event_id IS NULL AND f.event_id IS NULL
          AND NOT (COALESCE(d.first_sequence, 1) > 1 AND ${isExpired('e.recorded_at')})`,
      'it is queued although the feed has it': `q.event_id IS NOT NULL AND f.event_id IS NOT NULL`,
    })} AS problem
      FROM events e
      LEFT JOIN event_queue q ON q.environment_id = e.environment_id AND q.event_id = e.event_id
      LEFT JOIN feed_events f ON f.environment_id = e.environment_id AND f.event_id = e.event_id
      LEFT JOIN feeds d ON d.environment_id = e.environment_id
     WHERE e.environment_id = $1`,
  ),
  check(
    'environment-event-in-feed',
    'environment',
    'environment_events',
    'Every event that concerns no contribution is either queued or in the feed of its environment, and no other one is there.',
    `
    SELECT $1::integer AS environment_id, COALESCE(v.event_id, f.event_id) AS event_id, ${problemsOf({
      'it is neither queued nor in the feed': `q.event_id IS NULL AND f.event_id IS NULL`,
      'it is queued although the feed has it': `q.event_id IS NOT NULL AND f.event_id IS NOT NULL`,
      'it is in the feed, but its cause recorded no event': `v.event_id IS NULL`,
    })} AS problem
      FROM (SELECT w.event_id FROM environment_events w WHERE w.environment_id = $1) AS v
      LEFT JOIN event_queue q ON q.environment_id = $1 AND q.event_id = v.event_id
      FULL JOIN (
        SELECT k.event_id FROM feed_events k
         WHERE k.environment_id = $1 AND k.owner_environment_id = $1 AND k.transaction_id IS NULL
      ) AS f ON f.event_id = v.event_id`,
  ),
  check(
    'feed-numbers-follow',
    'environment',
    'feed_events',
    "A feed's numbers run from its first to its last without gaps, and a contribution's created event comes first.",
    `
    SELECT k.environment_id, k.transaction_id, k.event_id, ${problemsOf({
      'its number does not follow the one before it': `k.sequence <> d.first_sequence + k.place - 1`,
      'it is the last event, but does not have the last number': `k.is_last AND k.sequence <> d.last_sequence`,
      'it comes before the created event of its contribution': `k.created_sequence > k.sequence`,
    })} AS problem
      FROM (
        SELECT f.environment_id, f.transaction_id, f.event_id, f.sequence,
               row_number() OVER (ORDER BY f.sequence) AS place,
               lead(f.sequence) OVER (ORDER BY f.sequence) IS NULL AS is_last,
               max(f.sequence) FILTER (WHERE f.type = 'contribution.created')
                 OVER (PARTITION BY f.transaction_id) AS created_sequence
          FROM feed_events f
         WHERE f.environment_id = $1
      ) AS k
      JOIN feeds d ON d.environment_id = k.environment_id
     WHERE d.environment_id = $1`,
  ),
  check(
    'feed-audience-served',
    'installation',
    'feed_events',
    'An event is in the feed of each bank that the relay selected, and of no other bank.',
    `
    WITH decided AS MATERIALIZED (
      SELECT bank.environment_id, f.owner_environment_id, f.event_id, f.transaction_id, f.written_at
        FROM feed_events f
       CROSS JOIN LATERAL unnest(f.audience) AS bank (environment_id)
       WHERE f.environment_id = f.owner_environment_id
         AND NOT EXISTS (${purged('bank.environment_id')})
    ),
    copied AS MATERIALIZED (
      SELECT f.environment_id, f.owner_environment_id, f.event_id, f.transaction_id, f.written_at
        FROM feed_events f
       WHERE f.environment_id <> f.owner_environment_id
         AND NOT EXISTS (${purged('f.environment_id')}) AND NOT EXISTS (${purged('f.owner_environment_id')})
    )
    SELECT environment_id, COALESCE(copied.transaction_id, decided.transaction_id) AS transaction_id, event_id, ${problemsOf(
      {
        'it is missing from the feed of a bank': `copied.written_at IS NULL AND NOT ${isExpired('decided.written_at')}`,
        'it is in the feed of a bank that may not have it': `decided.written_at IS NULL AND NOT ${isExpired('copied.written_at')}`,
      },
    )} AS problem
      FROM decided FULL JOIN copied USING (environment_id, owner_environment_id, event_id)`,
  ),
];
