import type { Database } from '../../../db/pool/database';
import { allEnvironments, enableWarnings, type IsRead, membersOf, query } from '../../../db/query';
import { eventColumns, type EventRow, eventOf } from '../../events/feed-event';
import { isNotFrozen } from '../endpoints/not-frozen.query';
import type { ReplayOutcome } from './replay-status.field';
import type { WebhookReplay } from './webhook-replay';
import { isReplayed, replayColumns } from './webhook-replays.store';

/** A replay that this process alone sends until the lease ends. */
export interface ClaimedReplay extends WebhookReplay {
  leaseId: string;
  /** The number of failed attempts of the next event. */
  attempts: number;
  skippedInRow: number;
}

export interface ReplayWork {
  environmentId: number;
  replayId: string;
}

/** The progress of a replay after a batch. */
export interface ReplayProgress {
  position: number;
  delivered: number;
  skipped: number;
  attempts: number;
  skippedInRow: number;
  waitSeconds: number;
  outcome: ReplayOutcome | null;
  /** Whether the process keeps the lease. */
  continues: boolean;
}

export type ReplayLaneStore = ReturnType<typeof createReplayLaneStore>;

const lease = `interval '30 seconds'`;
const isFree = '(r.leased_until IS NULL OR r.leased_until < statement_timestamp())';

// Reads all environments. Only the replay lane uses this query, and the lane serves each replay
// separately. The replays in progress come first in their environment.
// $1 maximum number of rows, $2 environments to leave out
const findReplaysText = (isRead: IsRead): string => `
  SELECT ${membersOf('q', 'environmentId', 'replayId')}
    FROM (
      SELECT r.environment_id, r.replay_id, r.next_attempt_at, ${isFree} AS is_free,
             row_number() OVER (PARTITION BY r.environment_id ORDER BY ${isFree}, r.next_attempt_at) AS rank
        FROM webhook_replays r
        JOIN webhook_endpoints w ON w.environment_id = r.environment_id AND w.endpoint_id = r.endpoint_id
       WHERE r.ended_at IS NULL AND r.environment_id <> ALL ($2::integer[])
         AND (NOT ${isFree} OR r.next_attempt_at <= statement_timestamp())
         AND w.disabled_at IS NULL AND w.verified_at IS NOT NULL AND w.next_probe_at IS NULL ${isRead('r')} ${isRead('w')}
         ${isNotFrozen('r')}
    ) q
   WHERE q.is_free
   ORDER BY q.rank, q.next_attempt_at
   LIMIT $1
  `;

const findReplays = query('find_webhook_replays', findReplaysText(allEnvironments), {
  textOf: findReplaysText,
});

// $1 environment_id, $2 replay_id, $3 lease_id
const claimReplay = query(
  'claim_webhook_replay',
  `
  UPDATE webhook_replays r SET lease_id = $3, leased_until = statement_timestamp() + ${lease}
   WHERE r.environment_id = $1 AND r.replay_id = $2 AND r.ended_at IS NULL AND ${isFree}
  RETURNING ${replayColumns('r')}, ${membersOf('r', 'leaseId', 'attempts', 'skippedInRow')}
  `,
);

/** A batch covers at most this many sequence numbers, so a filter never scans the whole feed. */
const mostRead = 10_000;

// Waits for the synchronous standby, like any delivery (decision record 47).
// $1 environment_id, $2 endpoint_id, $3 position, $4 last sequence number, $5 types, $6 only, $7
// maximum number of rows
const readReplayBatch = query(
  'read_webhook_replay_batch',
  `
  SELECT ${eventColumns},
         pg_logical_emit_message(true, 'feed', '') AS written, ${enableWarnings}
    FROM feed_events e
   WHERE e.environment_id = $1 AND e.sequence > $3 AND e.sequence <= LEAST($4::bigint, $3::bigint + ${mostRead})
     AND ${isReplayed('$5', '$6')}
   ORDER BY e.sequence
   LIMIT $7
  `,
  { writes: true },
);

// CASE contains only intervals, because a cluster rejects a function of the current time there.
// $1 environment_id, $2 replay_id, $3 lease_id, $4 position, $5 delivered, $6 skipped, $7 attempts,
// $8 skipped_in_row, $9 wait in seconds, $10 outcome, $11 whether to keep the lease
const recordReplay = query(
  'settle_webhook_replay',
  `
  UPDATE webhook_replays r
     SET position = $4, delivered_count = r.delivered_count + $5, skipped_count = r.skipped_count + $6,
         attempts = $7, skipped_in_row = $8, outcome = $10::text,
         next_attempt_at = statement_timestamp() + $9::float8 * interval '1 second',
         ended_at = statement_timestamp() + CASE WHEN $10::text IS NOT NULL THEN interval '0' END,
         leased_until = statement_timestamp() + CASE WHEN $11::boolean THEN ${lease} END
   WHERE r.environment_id = $1 AND r.replay_id = $2 AND r.lease_id = $3 AND r.ended_at IS NULL
  RETURNING r.replay_id
  `,
);

const releaseReplay = query(
  'release_webhook_replay',
  `
  UPDATE webhook_replays r SET leased_until = NULL, next_attempt_at = statement_timestamp()
   WHERE r.environment_id = $1 AND r.replay_id = $2 AND r.lease_id = $3 AND r.ended_at IS NULL
  `,
);

// Reads the replays of all environments, for the metrics.
const readLongestWait = query(
  'read_longest_webhook_replay_wait',
  `
  SELECT COALESCE(max(extract(epoch FROM statement_timestamp() - r.next_attempt_at)), 0)::float8 AS seconds
    FROM webhook_replays r
   WHERE r.ended_at IS NULL AND ${isFree} ${isNotFrozen('r')}
  `,
);

export function createReplayLaneStore(database: Pick<Database, 'run'>) {
  return {
    /**
     * Replays without a lease whose endpoint can receive events. Environments with the fewest
     * replays in progress come first, then the longest waiting replays.
     */
    findWork: (most: number, exceptOf: readonly number[]) =>
      database.run<ReplayWork>(findReplays, [most, exceptOf]),
    /** Undefined if the replay has ended, or if another process sends it. */
    async claim({ environmentId, replayId }: ReplayWork, leaseId: string) {
      return (await database.run<ClaimedReplay>(claimReplay, [environmentId, replayId, leaseId]))[0];
    },
    /** Reads the events after the position. `endsAt` is the position after all of them. */
    async readBatch(
      { environmentId, endpointId, position, toSequence, types, only }: ClaimedReplay,
      most: number,
    ) {
      const values = [environmentId, endpointId, position, toSequence, types, only, most];
      const events = (await database.run<EventRow>(readReplayBatch, values)).map(eventOf);
      const isFull = events.length >= most;
      const endsAt = isFull
        ? (events.at(-1)?.sequence ?? position)
        : Math.min(toSequence, position + mostRead);
      return { events, endsAt };
    },
    /**
     * Records a batch. Records nothing and returns false if the replay has ended or the lease was
     * lost.
     */
    async record({ environmentId, replayId, leaseId }: ClaimedReplay, progress: ReplayProgress) {
      const { position, delivered, skipped, attempts, skippedInRow, waitSeconds, outcome, continues } =
        progress;
      const rows = await database.run(recordReplay, [
        ...[environmentId, replayId, leaseId, position, delivered, skipped, attempts, skippedInRow],
        ...[waitSeconds, outcome, continues],
      ]);
      return rows.length > 0;
    },
    /** Ends a lease early, and moves the replay to the end of the queue. */
    async release({ environmentId, replayId, leaseId }: ClaimedReplay) {
      await database.run(releaseReplay, [environmentId, replayId, leaseId]);
    },
    /** The longest time in seconds since a due replay last sent an event. */
    longestWaitSeconds: async () => {
      const [row] = await database.run<{ seconds: number }>(readLongestWait, []);
      return Math.max(0, row?.seconds ?? 0);
    },
  };
}
