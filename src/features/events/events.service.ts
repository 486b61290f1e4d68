import { ServiceError } from '../../shared/errors';
import { parseTransactionId } from '../../shared/transaction-id';
import { createFeedWaits, mostWaitsOfOne } from './feed-waits';
import type { EventFilter, EventsStore, FeedPage } from './events.store';

export interface FeedRequest {
  after: number | undefined;
  filter: EventFilter;
  limit: number;
  /**
   * When the request stops waiting, in milliseconds of `performance.now()`. With 0, it does not
   * wait.
   */
  waitUntilMs: number;
  /** Releases the request's slot while it waits. */
  outside: (wait: () => Promise<void>) => Promise<void>;
  /** Whether to stop waiting, because the client has left or the process shuts down. */
  isOver: () => boolean;
}

export type EventsService = ReturnType<typeof createEventsService>;

function requireSequence({ firstSequence, lastSequence }: FeedPage, after: number | undefined): void {
  if (after === undefined) return;
  if (after < firstSequence - 1) {
    throw new ServiceError('events_expired', {
      detail: `The feed keeps events for 180 days. Its first event is ${firstSequence}. Send after=${firstSequence - 1}, and list contributions for the time before.`,
    });
  }
  if (after > lastSequence) {
    throw new ServiceError('feed_restarted', {
      detail: `The last event of this feed is ${lastSequence}, and after is higher. Check that after is a next_after of this environment. If the feed was restarted, read it from after=0.`,
    });
  }
}

export function createEventsService(store: EventsStore) {
  const waits = createFeedWaits(store);

  function requireWait(environmentId: number): void {
    const refusal = waits.refusal(environmentId);
    if (refusal === undefined) return;
    throw new ServiceError(refusal === 'environment' ? 'rate_limited' : 'overloaded', {
      detail:
        refusal === 'environment'
          ? `In each process of the service, at most ${mostWaitsOfOne} requests of an environment wait for events at a time. Use one reader per feed, or send wait=0.`
          : 'Too many requests wait for events. Wait Retry-After seconds, or send wait=0.',
      headers: { 'Retry-After': '1' },
    });
  }

  return {
    /** @throws ServiceError if `after` is not in the feed, or too many requests wait */
    async list(environmentId: number, { after, filter, limit, waitUntilMs, outside, isOver }: FeedRequest) {
      const id = filter.transactionId;
      // An id with a wrong check character matches nothing.
      const transactionId = id === undefined ? undefined : (parseTransactionId(id)?.transactionId ?? '');
      const wanted = { ...filter, transactionId };
      let sequence = after;
      for (;;) {
        const page = await store.list(environmentId, sequence, wanted, limit);
        requireSequence(page, sequence);
        const milliseconds = waitUntilMs - performance.now();
        const isWaiting = page.events.length === 0 && !page.hasMore && milliseconds > 0;
        if (!isWaiting || isOver()) return page;
        requireWait(environmentId);
        const from = page.nextAfter;
        await outside(() => waits.until({ environmentId, after: from, milliseconds, isOver }));
        sequence = from;
      }
    },
    async get(environmentId: number, eventId: string) {
      const event = await store.get(environmentId, eventId.toLowerCase());
      if (event) return event;
      throw new ServiceError('event_not_found', {
        detail: 'Your feed has no event with this id. The feed keeps events for 180 days.',
      });
    },
  };
}
