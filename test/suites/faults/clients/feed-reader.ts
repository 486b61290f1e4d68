import { setTimeout as delay } from 'node:timers/promises';

import type { Query } from '../journal/check';
import type { Journal } from '../journal/journal';
import type { Tenants } from './environments';
import type { HttpClient, KeyPair } from './http';

interface ReadEvent {
  id: string;
  sequence: number;
  type: string;
  data: { transaction_id: string };
}

/** What the reader of one feed received, checked as it arrives. */
export class ReadFeed {
  readonly ids: string[] = [];
  private readonly known = new Set<string>();
  private readonly created = new Set<string>();

  constructor(
    readonly environmentId: number,
    private readonly journal: Pick<Journal, 'violate'>,
  ) {}

  /** The number of the last event. */
  get position(): number {
    return this.ids.length;
  }

  receive({ id, sequence, type, data }: ReadEvent): void {
    const name = `event ${sequence} of feed ${this.environmentId}`;
    if (sequence !== this.position + 1)
      this.journal.violate('lost', `${name} came after ${this.position}: a gap`);
    if (this.known.has(id)) this.journal.violate('doubled', `${name}: ${id} came before`);
    this.known.add(id);
    this.ids.push(id);
    if (type === 'contribution.created') this.created.add(data.transaction_id);
    else if (type.startsWith('contribution.') && !this.created.has(data.transaction_id))
      this.journal.violate(
        'illegal',
        `${name} is ${type}, and ${data.transaction_id} was not created before`,
      );
  }

  /** Compares what was received with the feed in the database. */
  compare(from: number, stored: readonly string[]): void {
    for (const [index, id] of this.ids.slice(from).entries()) {
      if (stored[index] !== id)
        this.journal.violate(
          'illegal',
          `event ${from + index + 1} of feed ${this.environmentId} was delivered as ${id}, and is ${stored[index] ?? 'missing'}`,
        );
    }
    if (stored.length > this.ids.length - from)
      this.journal.violate(
        'lost',
        `feed ${this.environmentId}: ${stored.length - this.ids.length + from} events not received`,
      );
  }
}

export interface FeedReaders {
  /** Waits until everything is relayed and read, and compares it with the database. */
  check(query: Query, scope: 'touched' | 'all'): Promise<void>;
  eventCount(): number;
  stop(): Promise<void>;
}

const catchUpWithinMs = 30_000;

/** Programs that each follow the feed of one environment. They also read while the load pauses. */
export function startFeedReaders(given: {
  http: HttpClient;
  journal: Journal;
  tenants: Tenants;
}): FeedReaders {
  const { http, journal, tenants } = given;
  let isStopped = false;
  const pairs = new Map<number, KeyPair>();
  for (const { environmentId, company, completer, completerEnvironmentId } of tenants.environments) {
    pairs.set(environmentId, company);
    if (completerEnvironmentId !== environmentId) pairs.set(completerEnvironmentId, completer);
  }
  const feeds = [...pairs.keys()].map((environmentId) => new ReadFeed(environmentId, journal));
  const compared = new Map<ReadFeed, number>();

  async function follow(feed: ReadFeed, pair: KeyPair): Promise<void> {
    while (!isStopped) {
      const path = `events?after=${feed.position}&limit=1000&wait=1`;
      const { response } = await http.send({ method: 'GET', path, pair });
      if (response?.status === 200) {
        for (const event of response.body['data'] as ReadEvent[]) feed.receive(event);
        if (response.body['next_after'] !== feed.position)
          journal.violate(
            'lost',
            `feed ${feed.environmentId}: next_after is not the number of the last event`,
          );
        continue;
      }
      if (response?.status === 410)
        journal.violate('illegal', `feed ${feed.environmentId}: ${JSON.stringify(response.body)}`);
      await delay(100);
    }
  }

  const readers = feeds.map((feed) => follow(feed, pairs.get(feed.environmentId)!));

  async function catchUp(query: Query): Promise<boolean> {
    for (const deadline = Date.now() + catchUpWithinMs; Date.now() < deadline;) {
      const queued = await query('SELECT FROM event_queue LIMIT 1');
      const ends = await query<{ environment_id: number; last: string }>(
        'SELECT f.environment_id, f.last_sequence AS last FROM feeds f',
      );
      const isBehind = (feed: ReadFeed): boolean =>
        Number(ends.find((end) => end.environment_id === feed.environmentId)?.last ?? 0) > feed.position;
      if (queued.length === 0 && !feeds.some(isBehind)) return true;
      await delay(100);
    }
    return false;
  }

  return {
    async check(query, scope) {
      if (!(await catchUp(query)))
        journal.violate('unexplained', `events not relayed and read within ${catchUpWithinMs} ms`);
      for (const feed of feeds) {
        const from = scope === 'all' ? 0 : (compared.get(feed) ?? 0);
        const rows = await query<{ event_id: string }>(
          'SELECT e.event_id FROM feed_events e WHERE e.environment_id = $1 AND e.sequence > $2 ORDER BY e.sequence',
          [feed.environmentId, from],
        );
        feed.compare(
          from,
          rows.map((row) => row.event_id),
        );
        compared.set(feed, feed.position);
      }
    },
    eventCount: () => feeds.reduce((sum, feed) => sum + feed.position, 0),
    async stop() {
      isStopped = true;
      await Promise.all(readers);
    },
  };
}
