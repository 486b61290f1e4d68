import { v7 as uuidv7 } from 'uuid';

import { violates } from '../../../db/errors';
import { OutdatedKeyPair, ServiceError } from '../../../shared/errors';
import type { EventType } from '../../events/event-type.field';
import type { Destinations } from '../sending/destinations';
import { createOutsideWaits, type Outside } from '../requests/outside-waits';
import type { SendLimits } from '../requests/send-limits';
import { mostEndpoints, type WebhookEndpoint } from './webhook-endpoint';
import type { EndpointChange, WebhookEndpointsStore } from './webhook-endpoints.store';
import { currentKeyVersion, currentSecret, type WebhookKeys } from './webhook-secrets';

export interface EndpointWithSecret {
  endpoint: WebhookEndpoint;
  secret: string;
}

/**
 * @throws OutdatedKeyPair if a reset moved the endpoints to a new environment
 * @throws ServiceError `error` otherwise, by default webhook_endpoint_not_found
 */
export type RejectUnknown = (environmentId: number, error?: ServiceError) => Promise<never>;

export type WebhookEndpointsService = ReturnType<typeof createWebhookEndpointsService>;

export interface WebhookEndpointsDependencies {
  store: WebhookEndpointsStore;
  destinations: Pick<Destinations, 'refusal'>;
  limits: Pick<SendLimits, 'asFailure'>;
  /** Undefined if the operator has configured none. */
  keys: WebhookKeys | undefined;
}

export const endpointNotFound = (): ServiceError =>
  new ServiceError('webhook_endpoint_not_found', {
    detail: 'This environment has no endpoint with this id.',
  });

const tooManyEndpoints = (): ServiceError =>
  new ServiceError('webhook_endpoint_limit', {
    detail: `An environment has at most ${mostEndpoints} endpoints. Delete one first.`,
  });

export const endpointUnverified = (): ServiceError =>
  new ServiceError('webhook_endpoint_unverified', {
    detail:
      'No ping to the URL of this endpoint has succeeded yet. Send POST …/ping. If its outcome is delivered, send this request again.',
  });

export const webhooksNotConfigured = (): ServiceError =>
  new ServiceError('webhooks_not_configured', {
    detail: 'The operator has not configured webhooks. Read the event feed instead.',
  });

type Retirements = Pick<WebhookEndpointsStore, 'isRetired'>;

async function requireCurrent(retirements: Retirements, environmentId: number): Promise<void> {
  if (await retirements.isRetired(environmentId)) throw new OutdatedKeyPair();
}

const rejectingUnknown =
  (retirements: Retirements): RejectUnknown =>
  async (environmentId, error = endpointNotFound()) => {
    await requireCurrent(retirements, environmentId);
    throw error;
  };

/** Translates a violation of the constraint on URLs, which decides between concurrent requests. */
async function withOwnUrl<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!violates(error, 'webhook_endpoints_url_key')) throw error;
    throw new ServiceError('webhook_url_taken', {
      detail: 'Another endpoint of this environment has this URL. Use or change that one.',
    });
  });
}

function requiringAllowed(destinations: Pick<Destinations, 'refusal'>) {
  // Partners may run the name servers of their hosts.
  const waits = createOutsideWaits({ what: 'name servers', ofOne: 20, shared: 100, all: 400 });
  return async (environmentId: number, url: string, outside: Outside): Promise<void> => {
    const refusal = await waits(environmentId, outside, () => destinations.refusal(new URL(url)));
    if (refusal !== undefined) throw new ServiceError('webhook_url_not_allowed', { detail: refusal });
  };
}

export function createWebhookEndpointsService(deps: WebhookEndpointsDependencies) {
  const { store, limits } = deps;
  const rejectUnknown = rejectingUnknown(store);
  const requireAllowed = requiringAllowed(deps.destinations);

  function requireKeys(): WebhookKeys {
    if (deps.keys) return deps.keys;
    throw webhooksNotConfigured();
  }

  return {
    async list(environmentId: number) {
      const endpoints = await store.list(environmentId);
      if (endpoints.length === 0) await requireCurrent(store, environmentId);
      return endpoints;
    },
    /** Throws the error for an endpoint that the environment does not have. */
    rejectUnknown,
    get: async (environmentId: number, endpointId: string) =>
      (await store.get(environmentId, endpointId)) ?? rejectUnknown(environmentId),

    /**
     * @throws ServiceError if the URL is taken or not allowed, or if there are too many endpoints
     */
    async create(
      environmentId: number,
      settings: { url: string; types: readonly EventType[]; description: string | undefined },
      outside: Outside,
    ): Promise<EndpointWithSecret> {
      const keys = requireKeys();
      await requireAllowed(environmentId, settings.url, outside);
      const endpoint = { ...settings, endpointId: uuidv7(), keyVersion: currentKeyVersion(keys) };
      for (;;) {
        const slot = await store.freeSlot(environmentId);
        if (slot === undefined) throw tooManyEndpoints();
        try {
          const added = await withOwnUrl(store.add(environmentId, slot, endpoint));
          if (!added) throw new OutdatedKeyPair();
          return { endpoint: added, secret: currentSecret(keys, added) };
        } catch (error) {
          // A concurrent request took the slot.
          if (!violates(error, 'webhook_endpoints_slot_key')) throw error;
        }
      }
    },

    /** @throws ServiceError if the URL is taken or not allowed */
    async change(environmentId: number, endpointId: string, change: EndpointChange, outside: Outside) {
      const work = async () =>
        (await withOwnUrl(store.change(environmentId, endpointId, change))) ?? rejectUnknown(environmentId);
      if (change.url === undefined) return work();
      await requireAllowed(environmentId, change.url, outside);
      // Another URL ends a wait after failures, as an enable does.
      return limits.asFailure(environmentId, work);
    },

    async rotateSecret(
      environmentId: number,
      endpointId: string,
      overlapHours: number,
    ): Promise<EndpointWithSecret> {
      const keys = requireKeys();
      const rotated = await store.rotate(environmentId, endpointId, currentKeyVersion(keys), overlapHours);
      const endpoint = rotated ?? (await rejectUnknown(environmentId));
      return { endpoint, secret: currentSecret(keys, endpoint) };
    },

    /** @throws ServiceError rate_limited */
    async enable(environmentId: number, endpointId: string) {
      requireKeys();
      return limits.asFailure(
        environmentId,
        async () => (await store.enable(environmentId, endpointId)) ?? rejectUnknown(environmentId),
        ({ verifiedAt }) => verifiedAt === null,
      );
    },
    disable: async (environmentId: number, endpointId: string) =>
      (await store.disable(environmentId, endpointId, 'requested')) ?? rejectUnknown(environmentId),
    async delete(environmentId: number, endpointId: string) {
      if (!(await store.delete(environmentId, endpointId))) await rejectUnknown(environmentId);
    },
  };
}
