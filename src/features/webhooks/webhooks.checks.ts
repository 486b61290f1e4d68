import { check, problemsOf } from '../../operator/verification/verification-check';

/** More attempts than the service makes for an event. */
const tooManyAttempts = 13;

/**
 * Whether a sandbox fault stored the retry under the id of its event, so that it blocks no other
 * event.
 */
const isReordered = `(w.environment_kind = 'test' AND r.transaction_id = r.event_id::text)`;

/** Checks the progress of endpoints against their feeds. */
export const webhookChecks = [
  check(
    'webhook-position-in-feed',
    'environment',
    'webhook_endpoints',
    "An endpoint's position is at most the last number of its feed.",
    `
    SELECT w.environment_id, w.endpoint_id, ${problemsOf({
      'it is beyond the end of the feed': `w.position > COALESCE(d.last_sequence, 0)`,
    })} AS problem
      FROM webhook_endpoints w
      LEFT JOIN feeds d ON d.environment_id = w.environment_id
     WHERE w.environment_id = $1`,
  ),
  check(
    'webhook-retry-in-feed',
    'environment',
    'webhook_retries',
    'An event that waits for another attempt is in the feed, at or before the position of its endpoint.',
    `
    SELECT r.environment_id, r.transaction_id, r.endpoint_id, r.event_id, ${problemsOf({
      'its endpoint does not exist': `w.endpoint_id IS NULL`,
      // The feed deletes old events. A retry of such an event ends when it is due.
      'its event is not in the feed': `f.event_id IS NULL AND r.sequence >= COALESCE(d.first_sequence, 1)`,
      'its event has another number or contribution': `
        f.sequence <> r.sequence
        OR (f.transaction_id <> r.transaction_id AND NOT ${isReordered})`,
      'the position of its endpoint is before it': `r.sequence > w.position`,
      'no earlier event delays it, but it never becomes due': `
        NOT isfinite(r.next_attempt_at) AND NOT EXISTS (
          SELECT 1 FROM webhook_retries b
           WHERE b.environment_id = r.environment_id AND b.endpoint_id = r.endpoint_id
             AND b.transaction_id = r.transaction_id AND b.sequence < r.sequence)`,
      'it has more attempts than the limit': `r.attempts >= ${tooManyAttempts}`,
    })} AS problem
      FROM webhook_retries r
      LEFT JOIN webhook_endpoints w ON w.environment_id = r.environment_id AND w.endpoint_id = r.endpoint_id
      LEFT JOIN feed_events f ON f.environment_id = r.environment_id AND f.event_id = r.event_id
      LEFT JOIN feeds d ON d.environment_id = r.environment_id
     WHERE r.environment_id = $1`,
  ),
];
