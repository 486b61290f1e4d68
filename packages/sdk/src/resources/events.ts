import { type Call, type NoParams, start } from '../call.js';
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
import { type List, listOf } from '../list.js';
import { checkNames } from '../names.js';
import { type CallOptions, callOptionsOf } from '../options.js';
import type { Transport } from '../transport.js';

/** Filters of `events.list`. Times are dates, or UTC text that ends in Z. */
export type ListEventsParams = Omit<ListEventsQuery, 'from' | 'to'> & {
  from?: Date | string | undefined;
  to?: Date | string | undefined;
};

/** Where `events.follow` begins, and what it yields. */
export interface FollowEventsParams {
  /** The `sequence` of the last event that you processed. Default: begins with the oldest event. */
  after?: number | undefined;
  /**
   * The `id` of that event. With it, the SDK also detects a feed that was restarted before the
   * call.
   */
  after_id?: string | undefined;
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
  options: CallOptions | undefined,
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
   * The events of your feed, oldest first, up to the newest. A page also has `next_after`: pass it
   * as the next `after`. To wait for new events, use `follow`.
   *
   * @throws RequestRejected with `events_expired` if the feed no longer has the position
   * @example
   * for await (const event of client.events.list({ after: 4711 })) console.log(event.type);
   * const { data, next_after, last_sequence } = await client.events.list({ after: 4711 });
   */
  list(params: ListEventsParams = {}, options?: CallOptions): List<ListEventsResponse> {
    const parts = { query: params, times: 'from to', has: 'data next_after' };
    const transport: Pick<Transport, 'send'> = {
      send: async (request, callOptions) => {
        checkAfter(params.after);
        return this.#transport.send(request, callOptions);
      },
    };
    return listOf(transport, listEvents, parts, options, ['after', 'next_after']);
  }

  /**
   * One event, by its `id`.
   *
   * @throws RequestRejected with `event_not_found`
   * @example
   * const event = await client.events.retrieve('019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b');
   */
  retrieve(eventId: string, params?: NoParams, options?: CallOptions): Call<GetEventResponse> {
    return start(this.#transport, getEvent, { ids: [eventId], query: params, has: 'id sequence' }, options);
  }

  /**
   * The newest attempts to deliver an event to your endpoints, newest first.
   *
   * @example
   * const { data: attempts } = await client.events.listAttempts(event.id);
   */
  listAttempts(
    eventId: string,
    params?: ListEventAttemptsQuery,
    options?: CallOptions,
  ): List<ListEventAttemptsResponse> {
    return listOf(this.#transport, listEventAttempts, { ids: [eventId], query: params }, options);
  }

  /**
   * Follows the feed without end: yields each event once, in order, and waits for new ones. Store
   * the `sequence` of an event together with the work that it caused, and continue after it.
   *
   * @throws the error of a request after its retries: follow again from the last `sequence`;
   *   RequestRejected with `feed_restarted` after a reset of the test environment: read from 0
   * @example
   * for await (const event of client.events.follow({ after: lastSequence })) {
   *   console.log(event.sequence, event.type);
   * }
   */
  async *follow(
    params: FollowEventsParams = {},
    options?: CallOptions,
  ): AsyncGenerator<Event, void, undefined> {
    callOptionsOf(options);
    checkNames('params', params, 'after after_id type');
    const { after, after_id: afterId, type } = params;
    const feed = { environment: this.#environment, events: this };
    assertInput(afterId === undefined || after !== undefined, 'after_id', 'It needs after.');
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
