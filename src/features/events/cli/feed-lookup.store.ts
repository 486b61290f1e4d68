import type { Queries } from '../../../db/operator-transaction';
import type { EnvironmentKind } from '../../../shared/scopes';

/** The sequence numbers of one feed, and its queued events. */
export interface ListedFeed {
  company: string;
  kind: EnvironmentKind;
  /** The oldest event that the feed still has. */
  firstSequence: number;
  lastSequence: number;
  queued: number;
  oldestQueuedAt: Date | null;
}

export interface ListedFeedEvent {
  company: string;
  kind: EnvironmentKind;
  sequence: number;
  eventId: string;
  type: string;
  recordedAt: Date;
  /** When it got its number. */
  writtenAt: Date;
  transactionId: string | null;
  data: Record<string, unknown>;
}

/** The feeds as partners read them. Read-only. */
export interface FeedLookupStore {
  /**
   * Feeds with queued events first, also those that have no event yet. Excludes environments that a
   * reset retired.
   */
  feeds(filter: { kind: EnvironmentKind | undefined; limit: number; skip: number }): Promise<ListedFeed[]>;
  /** The events of a company's feeds: the production feed and then the test feed, latest first. */
  events(filter: {
    company: string;
    kind: EnvironmentKind | undefined;
    transactionId: string | undefined;
    sequence: number | undefined;
    limit: number;
    skip: number;
  }): Promise<ListedFeedEvent[]>;
}

/** $1 environment_id, $2 transaction_id or null, $3 sequence or null. */
const selected = `k.environment_id = $1 AND ($2::text IS NULL OR k.transaction_id = $2)
              AND ($3::bigint IS NULL OR k.sequence = $3)`;

export function createFeedLookupStore(database: Pick<Queries, 'runUnprepared'>): FeedLookupStore {
  const countOf = async (filter: readonly unknown[]): Promise<number> => {
    const [row] = await database.runUnprepared<{ events: number }>(
      `SELECT count(*)::float8 AS events FROM feed_events k WHERE ${selected}`,
      filter,
    );
    return row?.events ?? 0;
  };
  return {
    feeds: ({ kind, limit, skip }) =>
      database.runUnprepared<ListedFeed>(
        `SELECT c.name AS company, e.kind, COALESCE(f.first_sequence, 1)::float8 AS "firstSequence",
                COALESCE(f.last_sequence, 0)::float8 AS "lastSequence", COALESCE(q.queued, 0)::float8 AS queued,
                q.oldest AS "oldestQueuedAt"
           FROM feeds f
           FULL JOIN (
             SELECT w.environment_id, count(*) AS queued, min(w.queued_at) AS oldest
               FROM event_queue w GROUP BY w.environment_id
           ) AS q ON q.environment_id = f.environment_id
           JOIN environments e ON e.environment_id = COALESCE(f.environment_id, q.environment_id)
           JOIN companies c ON c.company_id = e.company_id
          WHERE e.retired_at IS NULL AND ($1::text IS NULL OR e.kind = $1)
          ORDER BY q.oldest NULLS LAST, c.name, e.kind LIMIT $2::bigint OFFSET $3::bigint`,
        [kind ?? null, limit, skip],
      ),

    async events({ company, kind, transactionId, sequence, limit, skip }) {
      const environments = await database.runUnprepared<{ id: number; kind: EnvironmentKind }>(
        `SELECT e.environment_id AS id, e.kind FROM environments e JOIN companies c USING (company_id)
          WHERE e.retired_at IS NULL AND c.name = $1 AND ($2::text IS NULL OR e.kind = $2) ORDER BY e.kind`,
        [company, kind ?? null],
      );
      const rows: ListedFeedEvent[] = [];
      let toSkip = skip;
      // Run one query after the other, so that each reads the end of one feed only.
      for (const { id, kind: ofKind } of environments) {
        const filter = [id, transactionId ?? null, sequence ?? null];
        const found = await database.runUnprepared<Omit<ListedFeedEvent, 'company' | 'kind'>>(
          `SELECT k.sequence::float8 AS sequence, k.event_id AS "eventId", k.type, k.recorded_at AS "recordedAt",
                  k.written_at AS "writtenAt", k.transaction_id AS "transactionId", k.data
             FROM feed_events k WHERE ${selected}
            ORDER BY k.sequence DESC LIMIT $4::bigint OFFSET $5::bigint`,
          [...filter, limit - rows.length, toSkip],
        );
        rows.push(...found.map((event) => ({ company, kind: ofKind, ...event })));
        if (rows.length === limit) break;
        toSkip = found.length > 0 || toSkip === 0 ? 0 : Math.max(0, toSkip - (await countOf(filter)));
      }
      return rows;
    },
  };
}
