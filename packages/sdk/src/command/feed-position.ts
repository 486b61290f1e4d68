import type { ContributionService } from '../client.js';
import { ContributionError, InvalidInput, RateLimited, RequestRejected } from '../errors.js';
import type { Event, ListEventsQuery } from '../generated/api.js';
import { requireSameFeed } from '../resources/events.js';
import { UsageError, withDetail } from './command.js';
import { untilStopped, wait } from './stopping.js';

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** @throws UsageError if the text is not a number with a unit */
export function agoOf(text: string): Date {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined)
    throw new UsageError('--since must be a time with its unit, such as 30m, 1h or 2d.');
  return new Date(Date.now() - Number(count) * 1_000 * (secondsOf[unit] ?? 0));
}

/**
 * The position at which a command begins. It is the requested one, otherwise the stored one,
 * otherwise the end of the feed.
 */
export async function startOf(
  client: ContributionService,
  {
    after,
    since,
    stored,
  }: { after?: number | undefined; since?: string | undefined; stored?: number | undefined },
): Promise<number> {
  if (after !== undefined && since !== undefined) throw new UsageError('Pass --after or --since, not both.');
  if (after !== undefined) return after;
  if (since === undefined && stored !== undefined) return stored;
  const from = since === undefined ? undefined : agoOf(since);
  if (from === undefined) return (await client.events.list({ limit: 1 })).last_sequence;
  // Even a page without events has a next position.
  let position: number | undefined;
  for (;;) {
    const page = await client.events.list({ after: position, from, limit: 1 });
    const [first] = page.data;
    if (first) return first.sequence - 1;
    position = page.next_after;
    if (!page.has_more) return position;
  }
}

export interface Following {
  client: ContributionService;
  after: number;
  /** The `id` of the event at this position. */
  afterId?: string | undefined;
  type?: string | undefined;
  /** Aborted when standard output takes no more text. */
  lost: AbortSignal;
  /** Whether to stop at the end of the feed. */
  isOnce: boolean;
  /** Called with each event. The position advances when it resolves. */
  onEvent: (event: Event, stop: AbortSignal) => Promise<void> | void;
  /** Called with each position up to which the command has read all events. */
  onPosition?: (position: number) => Promise<void> | void;
  onInterruption?: (error: Error) => void;
}

const isTemporary = (error: unknown): error is ContributionError =>
  error instanceof ContributionError &&
  !(error instanceof InvalidInput) &&
  (error instanceof RateLimited || !(error instanceof RequestRejected) || error.retryable);

/** Adds how to run the command again if the feed has no such position. */
const ofRestart = (error: unknown): unknown =>
  error instanceof RequestRejected && error.code === 'feed_restarted'
    ? withDetail(
        error,
        'The feed ends before this sequence. Check --after. After a reset, the feed begins at 1. Run again with --after 0.',
      )
    : error;

/**
 * The event at this position. Undefined before the first one.
 *
 * @throws RequestRejected if the feed ends before the position
 */
export async function eventAt(client: ContributionService, position: number): Promise<Event | undefined> {
  if (position === 0) return undefined;
  try {
    // The service accepts the end of the feed, and rejects a position beyond it.
    await client.events.list({ after: position, limit: 1 });
    const { data } = await client.events.list({ after: position - 1, limit: 1 });
    return data[0]?.sequence === position ? data[0] : undefined;
  } catch (error) {
    throw ofRestart(error);
  }
}

/**
 * Follows the feed until SIGINT, SIGTERM or the loss of the output. The connection may be lost for
 * any time, for example while a laptop is closed.
 *
 * @returns the position behind all events so far
 */
export const followFeed = (following: Following): Promise<number> =>
  untilStopped(following.lost, (stop) => follow(following, stop));

async function follow(following: Following, stop: AbortSignal): Promise<number> {
  const { client, type, isOnce, onEvent, onPosition, onInterruption, afterId } = following;
  const isStopped = (): boolean => stop.aborted;
  let { after } = following;
  let known = afterId === undefined ? undefined : { sequence: after, id: afterId };
  while (!isStopped()) {
    try {
      // The service rejects an unknown type.
      const filter = { after, type: type as ListEventsQuery['type'], wait: isOnce ? 0 : 15 };
      const page = await client.events.list(filter, { signal: stop });
      if (page.data.length > 0) await requireSameFeed(client, known, { signal: stop });
      for (const event of page.data) {
        if (isStopped()) return after;
        await onEvent(event, stop);
        known = event;
        after = event.sequence;
        await onPosition?.(after);
      }
      after = page.next_after;
      await onPosition?.(after);
      if (isOnce && !page.has_more) return after;
    } catch (error) {
      if (isStopped()) return after;
      if (isOnce || !isTemporary(error)) throw ofRestart(error);
      onInterruption?.(error);
      await wait(1_000, stop);
    }
  }
  return after;
}
