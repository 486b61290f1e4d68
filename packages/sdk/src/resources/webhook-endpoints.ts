import { Call, type NoParams, start } from '../call.js';
import { assertInput } from '../errors.js';
import {
  cancelWebhookReplay,
  changeWebhookEndpoint,
  createWebhookEndpoint,
  createWebhookReplay,
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  enableWebhookEndpoint,
  getWebhookEndpoint,
  getWebhookReplay,
  listWebhookAttempts,
  listWebhookEndpoints,
  listWebhookReplays,
  pingWebhookEndpoint,
  resendWebhookEvent,
  rotateWebhookSecret,
  type ChangeWebhookEndpointBody,
  type CreateWebhookEndpointBody,
  type CreateWebhookReplayBody,
  type ListWebhookAttemptsQuery,
  type ListWebhookAttemptsResponse,
  type ListWebhookEndpointsResponse,
  type ListWebhookReplaysQuery,
  type ListWebhookReplaysResponse,
  type RotateWebhookSecretBody,
  type WebhookAttempt,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
  type WebhookReplay,
  type WebhookReplayPreview,
} from '../generated/api.js';
import { type List, listOf, shortListOf } from '../list.js';
import type { CallOptions } from '../options.js';
import type { RequestParts } from '../request.js';
import type { Transport } from '../transport.js';

/** The part of the feed to send again: between two times or two numbers. */
export type CreateReplayParams = Omit<CreateWebhookReplayBody, 'dry_run' | 'from' | 'to'> & {
  from?: Date | string | undefined;
  to?: Date | string | undefined;
};

/** The endpoints to which the service delivers the events of your feed. */
export class WebhookEndpoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates an endpoint for the events that are recorded after its creation. Store the `secret` of
   * the response: no other response contains it. Then ping the endpoint: it gets no events before.
   *
   * @throws RequestRejected with `webhook_url_taken` if an endpoint has this URL, perhaps because
   *   the response of an earlier attempt was lost: find it with `list`, and call `rotateSecret`
   * @example
   * const { endpoint_id, secret } = await client.webhookEndpoints.create({
   *   url: 'https://app.example.com/webhooks',
   *   types: ['contribution.completed'],
   * });
   */
  create(params: CreateWebhookEndpointBody, options?: CallOptions): Call<WebhookEndpointWithSecret> {
    return start(this.#transport, createWebhookEndpoint, { body: params, has: 'secret' }, options);
  }

  /**
   * All endpoints, oldest first, in one page.
   *
   * @example
   * for await (const endpoint of client.webhookEndpoints.list())
   *   console.log(endpoint.url, endpoint.status);
   */
  list(params?: NoParams, options?: CallOptions): List<ListWebhookEndpointsResponse> {
    return shortListOf(this.#transport, listWebhookEndpoints, { query: params }, options);
  }

  /** One endpoint, without its secret. */
  retrieve(endpointId: string, params?: NoParams, options?: CallOptions): Call<WebhookEndpoint> {
    return this.#one(getWebhookEndpoint, [endpointId], { query: params }, options);
  }

  /**
   * Changes the members that you pass; a `description` of null removes it. Ping the endpoint after
   * you change its URL.
   *
   * @example
   * await client.webhookEndpoints.update(endpoint_id, { types: ['contribution.completed'] });
   */
  update(
    endpointId: string,
    params: ChangeWebhookEndpointBody,
    options?: CallOptions,
  ): Call<WebhookEndpoint> {
    return this.#one(changeWebhookEndpoint, [endpointId], { body: params }, options);
  }

  /** Deletes the endpoint. The feed keeps the events. */
  delete(endpointId: string, params?: NoParams, options?: CallOptions): Call<undefined> {
    return start(this.#transport, deleteWebhookEndpoint, { ids: [endpointId], query: params }, options);
  }

  /**
   * Generates a new secret. During the overlap, the service signs with the old and the new secret.
   * A call within ten minutes of the last one returns the same secret, so a retry after a lost
   * response is safe.
   *
   * @example
   * const overlap = { overlap_hours: 24 };
   * const { secret } = await client.webhookEndpoints.rotateSecret(endpoint_id, overlap);
   */
  rotateSecret(
    endpointId: string,
    params: RotateWebhookSecretBody = {},
    options?: CallOptions,
  ): Call<WebhookEndpointWithSecret> {
    return this.#one(rotateWebhookSecret, [endpointId], { body: params, has: 'secret' }, options);
  }

  /**
   * Enables a disabled endpoint, or retries a failing one now. Deliveries continue with the event
   * after its position.
   */
  enable(endpointId: string, params?: NoParams, options?: CallOptions): Call<WebhookEndpoint> {
    return this.#one(enableWebhookEndpoint, [endpointId], { query: params }, options);
  }

  /** Stops deliveries. The endpoint keeps its position. */
  disable(endpointId: string, params?: NoParams, options?: CallOptions): Call<WebhookEndpoint> {
    return this.#one(disableWebhookEndpoint, [endpointId], { query: params }, options);
  }

  /**
   * Sends a signed ping. Success means that the ping was sent: read `outcome`.
   *
   * @example
   * const { outcome, failure } = await client.webhookEndpoints.ping(endpoint_id);
   */
  ping(endpointId: string, params?: NoParams, options?: CallOptions): Call<WebhookAttempt> {
    return this.#one(pingWebhookEndpoint, [endpointId], { query: params, has: 'outcome' }, options);
  }

  /**
   * What was sent to the endpoint, and how the receiver responded, newest first. With `event_id`,
   * only the attempts to deliver this event.
   */
  listAttempts(
    endpointId: string,
    params?: ListWebhookAttemptsQuery,
    options?: CallOptions,
  ): List<ListWebhookAttemptsResponse> {
    return listOf(this.#transport, listWebhookAttempts, { ids: [endpointId], query: params }, options);
  }

  /** Sends an event of your feed again. Success means that it was sent: read `outcome`. */
  resend(
    endpointId: string,
    eventId: string,
    params?: NoParams,
    options?: CallOptions,
  ): Call<WebhookAttempt> {
    const parts = { query: params, has: 'outcome' };
    return this.#one(resendWebhookEvent, [endpointId, eventId], parts, options);
  }

  /** Counts the events that a replay of this part of your feed would send, and sends none. */
  previewReplay(
    endpointId: string,
    params: CreateReplayParams,
    options?: CallOptions,
  ): Call<WebhookReplayPreview> {
    return this.#replay(endpointId, { ...params, dry_run: true }, 'event_count', options);
  }

  /**
   * Sends a part of your feed to the endpoint again, in order. New events are delivered in
   * parallel.
   *
   * @throws InvalidInput for `dry_run`: call `previewReplay`
   * @throws RequestRejected with `webhook_replay_running` if a replay runs, perhaps because the
   *   response of an earlier attempt was lost: find it with `listReplays`
   * @example
   * const { replay_id } = await client.webhookEndpoints.createReplay(endpoint_id, {
   *   from: '2026-11-20T08:00:00Z',
   *   to: '2026-11-20T10:00:00Z',
   * });
   */
  createReplay(endpointId: string, params: CreateReplayParams, options?: CallOptions): Call<WebhookReplay> {
    return new Call(() => {
      assertInput((params as { dry_run?: unknown }).dry_run === undefined, 'dry_run', 'Call previewReplay.');
      return this.#replay<WebhookReplay>(endpointId, params, 'replay_id', options).withResponse();
    });
  }

  /** The latest replays of an endpoint, latest first, in one page. */
  listReplays(
    endpointId: string,
    params?: ListWebhookReplaysQuery,
    options?: CallOptions,
  ): List<ListWebhookReplaysResponse> {
    return shortListOf(this.#transport, listWebhookReplays, { ids: [endpointId], query: params }, options);
  }

  /** One replay, with its progress. */
  retrieveReplay(
    endpointId: string,
    replayId: string,
    params?: NoParams,
    options?: CallOptions,
  ): Call<WebhookReplay> {
    const parts = { query: params, has: 'replay_id' };
    return this.#one(getWebhookReplay, [endpointId, replayId], parts, options);
  }

  /** Ends a replay. It is idempotent. */
  cancelReplay(
    endpointId: string,
    replayId: string,
    params?: NoParams,
    options?: CallOptions,
  ): Call<WebhookReplay> {
    const parts = { query: params, has: 'replay_id' };
    return this.#one(cancelWebhookReplay, [endpointId, replayId], parts, options);
  }

  #replay<T>(endpointId: string, body: object, has: string, options?: CallOptions): Call<T> {
    return this.#one(createWebhookReplay, [endpointId], { body, times: 'from to', has }, options);
  }

  #one<T>(
    operation: string,
    ids: readonly string[],
    parts: RequestParts,
    options: CallOptions | undefined,
  ): Call<T> {
    return start(this.#transport, operation, { ids, has: 'endpoint_id', ...parts }, options);
  }
}
