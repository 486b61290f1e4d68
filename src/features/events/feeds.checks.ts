import { check, problemsOf } from '../../operator/verification/verification-check';

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
    'queued-event-exists',
    'environment',
    'event_queue',
    'Every queued event exists.',
    `
    SELECT q.environment_id, q.event_id, ${problemsOf({
      'it is queued, but does not exist': `e.event_id IS NULL AND v.event_id IS NULL`,
    })} AS problem
      FROM event_queue q
      LEFT JOIN events e ON e.environment_id = q.environment_id AND e.event_id = q.event_id
      LEFT JOIN environment_events v ON v.environment_id = q.environment_id AND v.event_id = q.event_id
     WHERE q.environment_id = $1`,
  ),
  check(
    'environment-event-well-formed',
    'environment',
    'environment_events',
    'An event that concerns no contribution has a finite time and the data of its type, and its audience is a bank of its environment.',
    `
    SELECT v.environment_id, v.event_id, ${problemsOf({
      'its time is not finite': `NOT isfinite(v.recorded_at)`,
      'its data or its audience does not fit its type': `
        isfinite(v.recorded_at) AND environment_event_problem(v.type, v.recorded_at, v.audience, v.data) IS NOT NULL`,
      'its audience was never a bank of its environment': `NOT v.audience <@ ARRAY(
        SELECT l.bank_environment_id FROM bank_links l WHERE l.environment_id = $1)`,
    })} AS problem
      FROM environment_events v
     WHERE v.environment_id = $1`,
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
