import { Call, start } from '../call.js';
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
import type { CallOptions } from '../options.js';
import type { RequestParts } from '../request.js';
import type { Transport } from '../transport.js';

/** A part of the feed: between two times or two numbers. */
export type ReplayPart = Omit<CreateWebhookReplayBody, 'dry_run' | 'from' | 'to'> & {
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
  create(endpoint: CreateWebhookEndpointBody, options?: CallOptions): Call<WebhookEndpointWithSecret> {
    return start(this.#transport, createWebhookEndpoint, { body: endpoint, has: 'secret' }, options);
  }

  /** All endpoints, oldest first. */
  list(options?: CallOptions): Call<ListWebhookEndpointsResponse> {
    return start(this.#transport, listWebhookEndpoints, { has: 'data' }, options);
  }

  get(endpointId: string, options?: CallOptions): Call<WebhookEndpoint> {
    return this.#one(getWebhookEndpoint, endpointId, options);
  }

  /**
   * Changes the members that you pass; a `description` of null removes it. Ping the endpoint after
   * you change its URL.
   */
  update(
    endpointId: string,
    changes: ChangeWebhookEndpointBody,
    options?: CallOptions,
  ): Call<WebhookEndpoint> {
    return this.#one(changeWebhookEndpoint, endpointId, options, undefined, { body: changes });
  }

  /** Deletes the endpoint. The feed keeps the events. */
  delete(endpointId: string, options?: CallOptions): Call<undefined> {
    return start(this.#transport, deleteWebhookEndpoint, { ids: [endpointId] }, options);
  }

  /**
   * Generates a new secret. During the overlap, the service signs with the old and the new secret.
   * A call within ten minutes of the last one returns the same secret, so a retry after a lost
   * response is safe.
   *
   * @example
   * const { secret } = await client.webhookEndpoints.rotateSecret(endpointId);
   */
  rotateSecret(
    endpointId: string,
    body: RotateWebhookSecretBody = {},
    options?: CallOptions,
  ): Call<WebhookEndpointWithSecret> {
    return this.#one(rotateWebhookSecret, endpointId, options, 'secret', { body });
  }

  /**
   * Enables a disabled endpoint, or retries a failing one now. Deliveries continue with the event
   * after its position.
   */
  enable(endpointId: string, options?: CallOptions): Call<WebhookEndpoint> {
    return this.#one(enableWebhookEndpoint, endpointId, options);
  }

  /** Stops deliveries. The endpoint keeps its position. */
  disable(endpointId: string, options?: CallOptions): Call<WebhookEndpoint> {
    return this.#one(disableWebhookEndpoint, endpointId, options);
  }

  /**
   * Sends a signed ping. Success means that the ping was sent: read `outcome`.
   *
   * @example
   * const { outcome, failure } = await client.webhookEndpoints.ping(endpointId);
   */
  ping(endpointId: string, options?: CallOptions): Call<WebhookAttempt> {
    return this.#one(pingWebhookEndpoint, endpointId, options, 'outcome');
  }

  /**
   * The newest attempts, newest first. An event that was delivered on the first attempt is not
   * listed.
   */
  attempts(
    endpointId: string,
    query?: ListWebhookAttemptsQuery,
    options?: CallOptions,
  ): Call<ListWebhookAttemptsResponse> {
    return this.#one(listWebhookAttempts, endpointId, options, 'data', { query });
  }

  /** Sends an event of your feed again. Success means that it was sent: read `outcome`. */
  resend(endpointId: string, eventId: string, options?: CallOptions): Call<WebhookAttempt> {
    return start(
      this.#transport,
      resendWebhookEvent,
      { ids: [endpointId, eventId], has: 'outcome' },
      options,
    );
  }

  /** Counts the events that a replay of this part of your feed would send, and sends none. */
  previewReplay(endpointId: string, part: ReplayPart, options?: CallOptions): Call<WebhookReplayPreview> {
    return this.#replays(endpointId, { ...part, dry_run: true }, 'event_count', options);
  }

  /**
   * Sends a part of your feed to the endpoint again, in order. New events are delivered in
   * parallel.
   *
   * @throws InvalidInput for `dry_run`: call `previewReplay`
   * @throws RequestRejected with `webhook_replay_running` if a replay runs, perhaps because the
   *   response of an earlier attempt was lost: find it with `listReplays`
   * @example
   * const { replay_id } = await client.webhookEndpoints.replay(endpointId, {
   *   from: '2026-11-20T08:00:00Z',
   *   to: '2026-11-20T10:00:00Z',
   * });
   */
  replay(endpointId: string, part: ReplayPart, options?: CallOptions): Call<WebhookReplay> {
    return new Call(() => {
      assertInput((part as { dry_run?: unknown }).dry_run === undefined, 'dry_run', 'Call previewReplay.');
      return this.#replays<WebhookReplay>(endpointId, part, 'replay_id', options).withResponse();
    });
  }

  /** The latest replays of an endpoint, latest first. */
  listReplays(
    endpointId: string,
    query?: ListWebhookReplaysQuery,
    options?: CallOptions,
  ): Call<ListWebhookReplaysResponse> {
    return this.#one(listWebhookReplays, endpointId, options, 'data', { query });
  }

  getReplay(endpointId: string, replayId: string, options?: CallOptions): Call<WebhookReplay> {
    return this.#one(getWebhookReplay, endpointId, options, 'replay_id', { ids: [endpointId, replayId] });
  }

  /** Ends a replay. It is idempotent. */
  cancelReplay(endpointId: string, replayId: string, options?: CallOptions): Call<WebhookReplay> {
    return this.#one(cancelWebhookReplay, endpointId, options, 'replay_id', { ids: [endpointId, replayId] });
  }

  #replays<T>(endpointId: string, body: object, has: string, options?: CallOptions): Call<T> {
    const parts = { ids: [endpointId], body, times: 'from to', has };
    return start(this.#transport, createWebhookReplay, parts, options);
  }

  #one<T>(
    operation: string,
    endpointId: string,
    options: CallOptions | undefined,
    has = 'endpoint_id',
    parts: RequestParts = {},
  ): Call<T> {
    return start(this.#transport, operation, { ids: [endpointId], has, ...parts }, options);
  }
}
