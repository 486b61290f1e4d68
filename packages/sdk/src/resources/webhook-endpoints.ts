import { type Call, start } from '../call.js';
import { checkUuid, withTimes } from '../checks.js';
import type {
  ChangeWebhookEndpointBody,
  CreateWebhookEndpointBody,
  CreateWebhookReplayBody,
  ListWebhookAttemptsQuery,
  ListWebhookAttemptsResponse,
  ListWebhookEndpointsResponse,
  ListWebhookReplaysQuery,
  ListWebhookReplaysResponse,
  RotateWebhookSecretBody,
  WebhookAttempt,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookReplay,
  WebhookReplayPreview,
} from '../generated/api.js';
import { hasData } from '../list.js';
import type { CallOptions } from '../options.js';
import { type ApiRequest, hasText } from '../request.js';
import type { Transport } from '../transport.js';

const collection = '/webhook-endpoints';

/** A part of the feed: between two times or two numbers. */
export type ReplayPart = Omit<CreateWebhookReplayBody, 'dry_run' | 'from' | 'to'> & {
  from?: Date | string | undefined;
  to?: Date | string | undefined;
};

const isReplay = hasText('replay_id');
const hasEventCount = ({ event_count: count }: Readonly<Record<string, unknown>>): boolean =>
  typeof count === 'number';

/** Where the service delivers the events of your feed. */
export class WebhookEndpoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates an endpoint for the events that are recorded after its creation. Store the `secret` of
   * the response: no other response contains it.
   *
   * @throws RequestRejected with `webhook_url_taken` if an endpoint has this URL, perhaps because
   *   the response of an earlier attempt was lost: find it with `list`, and call `rotateSecret`
   * @example
   * const { endpoint_id, secret } = await client.webhookEndpoints.create({
   *   url: 'https://app.example.com/webhooks',
   *   types: ['contribution.completed'],
   * });
   */
  create(endpoint: CreateWebhookEndpointBody, options: CallOptions = {}): Call<WebhookEndpointWithSecret> {
    return start(
      this.#transport,
      () => ({ method: 'POST', path: collection, body: { ...endpoint }, isComplete: hasText('secret') }),
      options,
    );
  }

  /** All endpoints, oldest first. */
  list(options: CallOptions = {}): Call<ListWebhookEndpointsResponse> {
    return start(this.#transport, () => ({ method: 'GET', path: collection, isComplete: hasData }), options);
  }

  get(endpointId: string, options: CallOptions = {}): Call<WebhookEndpoint> {
    return this.#one('GET', '', endpointId, {}, options);
  }

  /**
   * Changes the members that you pass; a `description` of null removes it. In production, ping an
   * endpoint with another URL.
   */
  update(
    endpointId: string,
    changes: ChangeWebhookEndpointBody,
    options: CallOptions = {},
  ): Call<WebhookEndpoint> {
    return this.#one('PATCH', '', endpointId, { body: { ...changes } }, options);
  }

  /** Deletes the endpoint. The feed keeps the events. */
  delete(endpointId: string, options: CallOptions = {}): Call<undefined> {
    return start(
      this.#transport,
      () => ({
        method: 'DELETE',
        path: `${collection}/{endpoint_id}`,
        ids: [checkUuid('endpoint_id', endpointId)],
      }),
      options,
    );
  }

  /**
   * Generates a new secret. During the overlap, the service signs with both. A call within ten
   * minutes of the last one returns the same secret, so a retry after a lost response is safe.
   *
   * @example
   * const { secret } = await client.webhookEndpoints.rotateSecret(endpointId);
   */
  rotateSecret(
    endpointId: string,
    body: RotateWebhookSecretBody = {},
    options: CallOptions = {},
  ): Call<WebhookEndpointWithSecret> {
    const rotation = { body: { ...body }, isComplete: hasText('secret') };
    return this.#one('POST', '/rotate-secret', endpointId, rotation, options);
  }

  /**
   * Enables a disabled endpoint, or retries a failing one now. Deliveries continue with the event
   * after its position.
   */
  enable(endpointId: string, options: CallOptions = {}): Call<WebhookEndpoint> {
    return this.#one('POST', '/enable', endpointId, {}, options);
  }

  /** Stops deliveries. The endpoint keeps its position. */
  disable(endpointId: string, options: CallOptions = {}): Call<WebhookEndpoint> {
    return this.#one('POST', '/disable', endpointId, {}, options);
  }

  /**
   * Sends a signed ping. Success means that the ping was sent: read `outcome`.
   *
   * @example
   * const { outcome, failure } = await client.webhookEndpoints.ping(endpointId);
   */
  ping(endpointId: string, options: CallOptions = {}): Call<WebhookAttempt> {
    return this.#one('POST', '/ping', endpointId, { isComplete: hasText('outcome') }, options);
  }

  /**
   * The newest attempts, newest first. An event that was delivered on the first attempt is not
   * listed.
   */
  attempts(
    endpointId: string,
    query: ListWebhookAttemptsQuery = {},
    options: CallOptions = {},
  ): Call<ListWebhookAttemptsResponse> {
    return this.#one('GET', '/attempts', endpointId, { query: { ...query }, isComplete: hasData }, options);
  }

  /** Sends an event of your feed again. Success means that it was sent: read `outcome`. */
  resend(endpointId: string, eventId: string, options: CallOptions = {}): Call<WebhookAttempt> {
    return start(
      this.#transport,
      () => ({
        method: 'POST',
        path: `${collection}/{endpoint_id}/events/{event_id}/resend`,
        ids: [checkUuid('endpoint_id', endpointId), checkUuid('event_id', eventId)],
        isComplete: hasText('outcome'),
      }),
      options,
    );
  }

  /** Counts the events that a replay of this part of your feed would send, and sends none. */
  previewReplay(endpointId: string, part: ReplayPart, options: CallOptions = {}): Call<WebhookReplayPreview> {
    return this.#replays(endpointId, part, { dry_run: true }, hasEventCount, options);
  }

  /**
   * Sends a part of your feed to the endpoint again, in order and beside new events.
   *
   * @throws RequestRejected with `webhook_replay_running` if a replay runs, perhaps because the
   *   response of an earlier attempt was lost: find it with `listReplays`
   * @example
   * const { replay_id } = await client.webhookEndpoints.replay(endpointId, {
   *   from: '2026-11-20T08:00:00Z',
   *   to: '2026-11-20T10:00:00Z',
   * });
   */
  replay(endpointId: string, part: ReplayPart, options: CallOptions = {}): Call<WebhookReplay> {
    return this.#replays(endpointId, part, {}, isReplay, options);
  }

  /** The latest replays of an endpoint, latest first. */
  listReplays(
    endpointId: string,
    query: ListWebhookReplaysQuery = {},
    options: CallOptions = {},
  ): Call<ListWebhookReplaysResponse> {
    return this.#one('GET', '/replays', endpointId, { query: { ...query }, isComplete: hasData }, options);
  }

  getReplay(endpointId: string, replayId: string, options: CallOptions = {}): Call<WebhookReplay> {
    return this.#ofReplay('GET', '', endpointId, replayId, options);
  }

  /** Ends a replay. It is idempotent. */
  cancelReplay(endpointId: string, replayId: string, options: CallOptions = {}): Call<WebhookReplay> {
    return this.#ofReplay('POST', '/cancel', endpointId, replayId, options);
  }

  #replays<T>(
    endpointId: string,
    part: ReplayPart,
    more: { dry_run?: true },
    isComplete: (body: Record<string, unknown>) => boolean,
    options: CallOptions,
  ): Call<T> {
    return start(
      this.#transport,
      () => ({
        method: 'POST',
        path: `${collection}/{endpoint_id}/replays`,
        ids: [checkUuid('endpoint_id', endpointId)],
        body: { ...withTimes(part, 'from', 'to'), ...more },
        isComplete,
      }),
      options,
    );
  }

  #ofReplay(
    method: ApiRequest['method'],
    path: string,
    endpointId: string,
    replayId: string,
    options: CallOptions,
  ): Call<WebhookReplay> {
    return start(
      this.#transport,
      () => ({
        method,
        path: `${collection}/{endpoint_id}/replays/{replay_id}${path}`,
        ids: [checkUuid('endpoint_id', endpointId), checkUuid('replay_id', replayId)],
        isComplete: isReplay,
      }),
      options,
    );
  }

  #one<T>(
    method: ApiRequest['method'],
    path: string,
    endpointId: string,
    more: Partial<ApiRequest>,
    options: CallOptions,
  ): Call<T> {
    return start(
      this.#transport,
      () => ({
        method,
        path: `${collection}/{endpoint_id}${path}`,
        ids: [checkUuid('endpoint_id', endpointId)],
        isComplete: hasText('endpoint_id'),
        ...more,
      }),
      options,
    );
  }
}
