import { Call, start } from '../call.js';
import type { Environment } from '../credentials.js';
import { assertInput, RequestRejected } from '../errors.js';
import {
  getEvent,
  listEventAttempts,
  listEvents,
  type Event,
  type GetEventResponse,
  type ListEventAttemptsQuery,
  type ListEventAttemptsResponse,
  type ListEventsQuery,
  type ListEventsResponse,
} from '../generated/api.js';
import { type CallOptions, callOptionsOf } from '../options.js';
import type { Transport } from '../transport.js';

/** Filters of the feed. Times are dates, or UTC text that ends in Z. */
export type EventFilter = Omit<ListEventsQuery, 'from' | 'to'> & {
  from?: Date | string | undefined;
  to?: Date | string | undefined;
};

export interface FollowOptions extends CallOptions {
  /** The `sequence` of the last event that you processed. Default: begins with the oldest event. */
  after?: number | undefined;
  /**
   * The `id` of that event. With it, the SDK also detects a feed that was restarted before the
   * call.
   */
  afterId?: string | undefined;
  /** Only events of this type. */
  type?: ListEventsQuery['type'];
}

/** The longest time that the service waits for events. It is below the default `timeoutMs`. */
const waitSeconds = 15;

function checkAfter(after: number | undefined): void {
  assertInput(
    after === undefined || (Number.isSafeInteger(after) && after >= 0),
    'after',
    'Pass the sequence of an event, or next_after of a page.',
  );
}

/** The number and the id of an event in the feed. */
type Known = Pick<Event, 'sequence' | 'id'>;

/**
 * Checks that the feed still has this event at its position. A reset of a test environment starts
 * another feed, which may have grown past the position. Production has no resets.
 *
 * @throws RequestRejected with `feed_restarted`
 */
export async function requireSameFeed(
  { environment, events }: { environment: Environment; events: Pick<Events, 'list'> },
  known: Known | undefined,
  options: CallOptions,
): Promise<void> {
  if (environment !== 'test' || !known) return;
  const { data } = await events.list({ after: known.sequence - 1, limit: 1 }, options);
  if (data[0]?.id === known.id) return;
  throw new RequestRejected({
    status: 410,
    code: 'feed_restarted',
    detail: `The feed was restarted: another event has the number ${known.sequence} now. Read it from after=0.`,
    errors: [],
    retryable: false,
    requestId: undefined,
    retryAfterMs: undefined,
  });
}

/** The feed of events about contributions, numbered without gaps. */
export class Events {
  readonly #transport: Transport;
  readonly #environment: Environment;

  constructor(transport: Transport, environment: Environment) {
    this.#transport = transport;
    this.#environment = environment;
  }

  /**
   * Reads a page of the feed.
   *
   * @throws RequestRejected with `events_expired` if the feed no longer has the position
   * @example
   * const { data, next_after } = await client.events.list({ after: 4711 });
   */
  list(filter: EventFilter = {}, options?: CallOptions): Call<ListEventsResponse> {
    return new Call(() => {
      checkAfter(filter.after);
      return this.#transport.send(
        { operation: listEvents, query: filter, times: 'from to', has: 'data next_after' },
        options,
      );
    });
  }

  /** Reads one event by its `id`. */
  get(eventId: string, options?: CallOptions): Call<GetEventResponse> {
    return start(this.#transport, getEvent, { ids: [eventId], has: 'id sequence' }, options);
  }

  /** The newest attempts to deliver an event to your endpoints, newest first. */
  attempts(
    eventId: string,
    query?: ListEventAttemptsQuery,
    options?: CallOptions,
  ): Call<ListEventAttemptsResponse> {
    return start(this.#transport, listEventAttempts, { ids: [eventId], query, has: 'data' }, options);
  }

  /**
   * Follows the feed without end: yields each event once, in order, and waits for new ones. Store
   * the `sequence` of an event together with the work that it caused, and continue after it.
   *
   * @throws the error of a request after its retries: follow again from the last `sequence`;
   *   RequestRejected with `feed_restarted` after a reset of the test environment: read from 0
   * @example
   * for await (const event of client.events.follow({ after: lastSequence })) {
   *   await process(event);
   * }
   */
  async *follow(followOptions: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    const options = callOptionsOf(followOptions, 'after afterId type');
    const { after, afterId, type } = followOptions;
    const feed = { environment: this.#environment, events: this };
    assertInput(afterId === undefined || after !== undefined, 'afterId', 'It needs after.');
    let known = after !== undefined && afterId !== undefined ? { sequence: after, id: afterId } : undefined;
    for (let position = after; ;) {
      const page = await this.list({ after: position, type, wait: waitSeconds }, options);
      if (page.data.length > 0) await requireSameFeed(feed, known, options);
      yield* page.data;
      known = page.data.at(-1) ?? known;
      position = page.next_after;
    }
  }
}
