import { membersOf } from '../../../db/query';

/** The columns of an attempt `a`, except the id of its event. */
export const attemptColumns = membersOf(
  'a',
  ...['attemptId', 'endpointId', 'kind', 'attempt', 'outcome', 'failure', 'status', 'attemptedAt'],
  ...['durationMs', 'response'],
);

/** The maximum number of attempts in a row of `webhook_deliveries`. */
const mostInRow = 1_000;

const isListed = (row: string): string => `($5::text IS NULL OR $5::text = ${row})`;

/**
 * The rows of successes to read: those of an event, or the newest ones with a page of attempts.
 * The cursor may exclude all attempts of the newest of them.
 */
const packedRows = {
  event: `
    SELECT d.* FROM webhook_deliveries d
     WHERE d.environment_id = $1 AND ($2::uuid IS NULL OR d.endpoint_id = $2::uuid)
       AND d.first_sequence BETWEEN (SELECT sequence FROM event) - 999 AND (SELECT sequence FROM event)
       AND d.last_sequence >= (SELECT sequence FROM event)
       AND d.recorded_at >= statement_timestamp() - $6::integer * interval '1 day' AND ${isListed(`'delivered'`)}`,
  endpoint: `
    SELECT newest.*
      FROM (
        SELECT n.*, sum(cardinality(n.statuses)) OVER (ORDER BY n.first_attempt_id DESC) - cardinality(n.statuses) AS newer
          FROM (
            SELECT d.* FROM webhook_deliveries d
             WHERE d.environment_id = $1 AND d.endpoint_id = $2::uuid AND d.first_attempt_id < $3::uuid
               AND d.recorded_at >= statement_timestamp() - $6::integer * interval '1 day'
               AND ${isListed(`'delivered'`)}
             ORDER BY d.first_attempt_id DESC
             LIMIT $4
          ) AS n
      ) AS newest
     WHERE newest.newer < $4 + ${mostInRow}`,
} as const;

/**
 * Lists the attempts of an endpoint, or those of an event, from both tables, newest first. The ids
 * of the attempts in a row of `webhook_deliveries` count up from the first one, in the last four
 * digits.
 *
 * $1 environment_id, $2 endpoint_id, for an event also null, $3 the attempt_id before which it
 * starts, $4 the maximum number of rows, $5 outcome or null, $6 the days for which successes are
 * listed, $7 event_id
 */
export const listAttemptsText = (of: 'endpoint' | 'event'): string => `
  WITH event AS (
    SELECT e.sequence FROM feed_events e WHERE e.environment_id = $1 AND e.event_id = $7::uuid
  ), attempts AS (
    (SELECT a.attempt_id, a.endpoint_id, a.event_id, NULL::bigint AS sequence, a.kind, a.attempt, a.outcome, a.failure,
            a.status, a.attempted_at, a.duration_ms, a.response
       FROM webhook_attempts a
      WHERE a.environment_id = $1 AND a.attempt_id < $3::uuid
        AND ${of === 'event' ? 'a.event_id = $7::uuid AND ($2::uuid IS NULL OR a.endpoint_id = $2::uuid)' : 'a.endpoint_id = $2::uuid'}
        AND a.attempted_at >= statement_timestamp() - interval '30 days' AND ${isListed('a.outcome')}
      ORDER BY a.attempt_id DESC
      LIMIT $4)
     UNION ALL
    (SELECT one.attempt_id, p.endpoint_id, NULL::uuid, p.first_sequence + o.sequence_offset, p.kind, 1::smallint,
            'delivered', NULL::text, o.status, p.recorded_at - o.started_ms_ago * interval '1 millisecond',
            o.duration_ms, NULL::text
       FROM (${packedRows[of]}
       ) AS p
      CROSS JOIN LATERAL unnest(p.sequence_offsets, p.statuses, p.started_ms_ago, p.durations_ms) WITH ORDINALITY
         AS o (sequence_offset, status, started_ms_ago, duration_ms, number)
      CROSS JOIN LATERAL (
        SELECT overlay(
                 p.first_attempt_id::text PLACING
                 lpad(to_hex(('x' || right(p.first_attempt_id::text, 4))::bit(16)::integer + o.number::integer - 1), 4, '0')
                 FROM 33)::uuid AS attempt_id
      ) AS one
      WHERE one.attempt_id < $3::uuid
        ${of === 'event' ? 'AND p.first_sequence + o.sequence_offset = (SELECT sequence FROM event)' : ''}
      ORDER BY one.attempt_id DESC
      LIMIT $4)
  )
  SELECT COALESCE(a.event_id, e.event_id) AS "eventId", ${attemptColumns}
    FROM (SELECT * FROM attempts ORDER BY attempt_id DESC LIMIT $4) AS a
    LEFT JOIN feed_events e ON e.environment_id = $1 AND e.sequence = a.sequence
   ORDER BY a.attempt_id DESC`;
