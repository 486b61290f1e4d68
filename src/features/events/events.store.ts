import type { Database } from '../../db/pool/database';
import { enableWarnings, query } from '../../db/query';
import type { EventType } from './event-type.field';
import { eventColumns, type EventRow, eventOf, type FeedEvent } from './feed-event';

export interface EventFilter {
  type: EventType | undefined;
  transactionId: string | undefined;
  from: string | undefined;
  to: string | undefined;
}

/** A part of a feed, with the bounds of the feed in the same snapshot. */
export interface FeedPage {
  firstSequence: number;
  lastSequence: number;
  events: FeedEvent[];
  hasMore: boolean;
  /** The sequence number after which the next page starts. */
  nextAfter: number;
}

export type EventsStore = ReturnType<typeof createEventsStore>;

/** A page covers at most this many events, so a filter never scans the whole feed. */
const mostRead = 10_000;

/**
 * Makes the query a write, so its response waits for the synchronous standby like any other.
 * Nobody then learns of an event that a failover can undo (decision record 20).
 */
const waitForStandby = `pg_logical_emit_message(true, 'feed', '')`;

// Returns one row. $1 environment_id, $2 after or null, $3 the number of events, $4 to $7 filters
// or null
const listEvents = query(
  'list_events',
  `
  WITH feed AS (
    SELECT f.first_sequence, f.last_sequence, COALESCE($2::bigint, f.first_sequence - 1) AS after
      FROM feeds f WHERE f.environment_id = $1
  ),
  page AS (
    SELECT ${eventColumns}
      FROM feed_events e
     WHERE e.environment_id = $1
       AND e.sequence > (SELECT feed.after FROM feed)
       AND e.sequence <= (SELECT feed.after + CASE WHEN $5::text IS NULL THEN ${mostRead} ELSE feed.last_sequence END FROM feed)
       AND ($4::text IS NULL OR e.type = $4)
       AND ($5::text IS NULL OR e.transaction_id = $5)
       AND ($6::timestamptz IS NULL OR e.recorded_at >= $6)
       AND ($7::timestamptz IS NULL OR e.recorded_at < $7)
     ORDER BY e.sequence
     LIMIT $3
  )
  SELECT feed.first_sequence, feed.last_sequence,
         (SELECT jsonb_agg(to_jsonb(page) ORDER BY page.sequence) FROM page) AS events,
         -- A page that goes past "after" reveals that events exist, even if the filter omits
         -- them.
         CASE WHEN feed.last_sequence > feed.after THEN ${waitForStandby} END AS waits, ${enableWarnings}
    FROM feed
  `,
  { writes: true },
);

// $1 environment_id, $2 event_id
const readEvent = query(
  'read_event',
  `
  SELECT ${eventColumns}, ${waitForStandby} AS waits, ${enableWarnings}
    FROM feed_events e WHERE e.environment_id = $1 AND e.event_id = $2
  `,
  { writes: true },
);

const readLastSequences = query(
  'read_feed_ends',
  `SELECT f.environment_id, f.last_sequence FROM feeds f WHERE f.environment_id = ANY ($1)`,
);

interface PageRow {
  first_sequence: string;
  last_sequence: string;
  events: EventRow[] | null;
}

export function createEventsStore(database: Pick<Database, 'run'>) {
  return {
    /** @param after undefined for the oldest event that the feed keeps */
    async list(
      environmentId: number,
      after: number | undefined,
      filter: EventFilter,
      limit: number,
    ): Promise<FeedPage> {
      const { type, transactionId, from, to } = filter;
      const values = [environmentId, after, limit + 1, type, transactionId, from, to];
      const [row] = await database.run<PageRow>(listEvents, values);
      const first = Number(row?.first_sequence ?? 1);
      const last = Number(row?.last_sequence ?? 0);
      const found = (row?.events ?? []).map(eventOf);
      const events = found.slice(0, limit);
      const start = after ?? first - 1;
      const readUntil = transactionId === undefined ? Math.min(start + mostRead, last) : last;
      const isFull = found.length > limit;
      const nextAfter = isFull ? (events.at(-1)?.sequence ?? start) : Math.max(start, readUntil);
      return {
        firstSequence: first,
        lastSequence: last,
        events,
        hasMore: isFull || readUntil < last,
        nextAfter,
      };
    },
    async get(environmentId: number, eventId: string) {
      const [row] = await database.run<EventRow>(readEvent, [environmentId, eventId]);
      return row && eventOf(row);
    },
    /** The last number of each of these feeds. A feed without events is missing. */
    async lastSequences(environmentIds: readonly number[]) {
      const rows = await database.run<{ environment_id: number; last_sequence: string }>(readLastSequences, [
        environmentIds,
      ]);
      return new Map(rows.map((row) => [row.environment_id, Number(row.last_sequence)]));
    },
  };
}
