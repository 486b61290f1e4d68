import type { Database } from '../../../db/pool/database';
import { membersOf, query } from '../../../db/query';
import type { ReplayedPart, WebhookReplay } from './webhook-replay';

/** The bounds of the feed, and the position that the endpoint has reached. */
export interface Replayable {
  firstSequence: number;
  lastSequence: number;
  /** The position of the endpoint. Later events are delivered anyway. */
  position: number;
  isVerified: boolean;
}

export type WebhookReplaysStore = ReturnType<typeof createWebhookReplaysStore>;

export const replayColumns = (row: string): string =>
  `${membersOf(
    row,
    ...['environmentId', 'replayId', 'endpointId', 'types', 'eventCount', 'deliveredCount', 'skippedCount'],
    ...['createdAt', 'endedAt'],
  )}, ${row}.from_sequence::float8 AS "fromSequence", ${row}.to_sequence::float8 AS "toSequence",
  ${row}.position::float8 AS position, ${row}.selection AS only, COALESCE(${row}.outcome, 'running') AS status`;

const columns = replayColumns('r');
const isIt = 'r.environment_id = $1 AND r.endpoint_id = $2 AND r.replay_id = $3';

/**
 * SQL condition: a replay sends the event `e` to the endpoint `$2`. An endpoint gets no event about
 * itself.
 *
 * @param types the placeholder of the types
 * @param only the placeholder of the kind of events
 */
export const isReplayed = (types: string, only: string): string => `
       (cardinality(${types}::text[]) = 0 OR e.type = ANY (${types}::text[]))
       AND (e.transaction_id IS NOT NULL OR e.data ->> 'endpoint_id' IS DISTINCT FROM $2::text)
       AND (${only}::text = 'all' OR EXISTS (
         SELECT 1 FROM webhook_attempts a
          WHERE a.environment_id = $1 AND a.event_id = e.event_id AND a.endpoint_id = $2::uuid
            AND a.outcome = 'exhausted'
       ))`;

// $1 environment_id, $2 endpoint_id
const readReplayable = query(
  'read_replayable',
  `
  SELECT COALESCE(f.first_sequence, 1)::float8 AS "firstSequence", COALESCE(f.last_sequence, 0)::float8 AS "lastSequence",
         w.position::float8 AS position, w.verified_at IS NOT NULL AS "isVerified"
    FROM webhook_endpoints w
    LEFT JOIN feeds f ON f.environment_id = $1
   WHERE w.environment_id = $1 AND w.endpoint_id = $2
  `,
);

// A binary search, because times increase with sequence numbers. It reads about 20 events of a
// million.
// $1 environment_id, $2 time
const findFirstSince = query(
  'find_first_event_since',
  `
  WITH RECURSIVE search AS (
    SELECT f.first_sequence AS low, f.last_sequence + 1 AS high FROM feeds f WHERE f.environment_id = $1
     UNION ALL
    SELECT CASE WHEN e.written_at < $2::timestamptz THEN e.sequence + 1 ELSE s.low END,
           CASE WHEN e.written_at < $2::timestamptz THEN s.high ELSE e.sequence END
      FROM search s
      JOIN feed_events e ON e.environment_id = $1 AND e.sequence = (s.low + s.high) / 2
     WHERE s.low < s.high
  )
  SELECT search.low AS sequence FROM search WHERE search.low >= search.high
  `,
);

// $1 environment_id, $2 endpoint_id, $3 and $4 the first and the last sequence number, $5 types, $6
// only
const countReplayed = query(
  'count_replayed_events',
  `
  SELECT count(*)::integer AS count
    FROM feed_events e
   WHERE e.environment_id = $1 AND e.sequence BETWEEN $3 AND $4 AND ${isReplayed('$5', '$6')}
  `,
);

// $1 environment_id, $2 endpoint_id, $3 replay_id, $4 and $5 the first and the last sequence
// number, $6 types, $7 only, $8 event_count
const addReplay = query(
  'add_webhook_replay',
  `
  INSERT INTO webhook_replays AS r
    (environment_id, replay_id, endpoint_id, from_sequence, to_sequence, types, selection, event_count, position,
     delivered_count, skipped_count, attempts, skipped_in_row, next_attempt_at, created_at)
  SELECT w.environment_id, $3::uuid, w.endpoint_id, $4::bigint, $5::bigint, $6::text[], $7::text, $8::integer,
         $4::bigint - 1, 0, 0, 0, 0, statement_timestamp(), statement_timestamp()
    FROM webhook_endpoints w
   WHERE w.environment_id = $1 AND w.endpoint_id = $2
  RETURNING ${columns}
  `,
);

const listReplays = query(
  'list_webhook_replays',
  `
  SELECT ${columns} FROM webhook_replays r
   WHERE r.environment_id = $1 AND r.endpoint_id = $2 ORDER BY r.replay_id DESC LIMIT $3
  `,
);

const readReplay = query('read_webhook_replay', `SELECT ${columns} FROM webhook_replays r WHERE ${isIt}`);

// Uses LEAST, because a cluster rejects COALESCE with a time.
const cancelReplay = query(
  'cancel_webhook_replay',
  `
  UPDATE webhook_replays r
     SET ended_at = LEAST(r.ended_at, statement_timestamp()), outcome = COALESCE(r.outcome, 'canceled')
   WHERE ${isIt}
  RETURNING ${columns}
  `,
);

// $1 environment_id, $2 endpoint_id
const cancelRunningReplay = query(
  'cancel_running_webhook_replay',
  `
  UPDATE webhook_replays r SET ended_at = statement_timestamp(), outcome = 'canceled'
   WHERE r.environment_id = $1 AND r.endpoint_id = $2 AND r.ended_at IS NULL
  RETURNING ${columns}
  `,
);

export function createWebhookReplaysStore(database: Pick<Database, 'run'>) {
  async function one(...parameters: Parameters<typeof database.run>): Promise<WebhookReplay | undefined> {
    return (await database.run<WebhookReplay>(...parameters))[0];
  }

  return {
    /** Undefined if there is no such endpoint. */
    async replayable(environmentId: number, endpointId: string): Promise<Replayable | undefined> {
      return (await database.run<Replayable>(readReplayable, [environmentId, endpointId]))[0];
    },
    /** The sequence number of the first event that was written to the feed at or after a time. */
    async firstSince(environmentId: number, time: string) {
      const [row] = await database.run<{ sequence: string }>(findFirstSince, [environmentId, time]);
      return Number(row?.sequence ?? 1);
    },
    async count(
      environmentId: number,
      endpointId: string,
      { fromSequence, toSequence, types, only }: ReplayedPart,
    ) {
      const values = [environmentId, endpointId, fromSequence, toSequence, types, only];
      return (await database.run<{ count: number }>(countReplayed, values))[0]?.count ?? 0;
    },
    /**
     * @returns undefined if there is no such endpoint
     * @throws ConstraintViolation if the endpoint has a running replay
     */
    add: (
      environmentId: number,
      replayId: string,
      endpointId: string,
      { fromSequence, toSequence, types, only }: ReplayedPart,
      eventCount: number,
    ) =>
      one(addReplay, [
        ...[environmentId, endpointId, replayId, fromSequence, toSequence, types, only, eventCount],
      ]),
    /** The latest replays of an endpoint, latest first. */
    list: (environmentId: number, endpointId: string, limit: number) =>
      database.run<WebhookReplay>(listReplays, [environmentId, endpointId, limit]),
    get: (environmentId: number, endpointId: string, replayId: string) =>
      one(readReplay, [environmentId, endpointId, replayId]),
    /** Ends a replay. Has no effect if the replay has already ended. */
    cancel: (environmentId: number, endpointId: string, replayId: string) =>
      one(cancelReplay, [environmentId, endpointId, replayId]),
    /** Ends the running replay of an endpoint. Undefined if there is none. */
    cancelRunning: (environmentId: number, endpointId: string) =>
      one(cancelRunningReplay, [environmentId, endpointId]),
  };
}
