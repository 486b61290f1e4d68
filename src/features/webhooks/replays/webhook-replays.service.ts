import { v7 as uuidv7 } from 'uuid';

import { violates } from '../../../db/errors';
import { invalidRequest, ServiceError } from '../../../shared/errors';
import type { EventType } from '../../events/event-type.field';
import type { ReplayOnly } from './replay-status.field';
import type { SendLimits } from '../requests/send-limits';
import { mostReplayed, type ReplayedPart } from './webhook-replay';
import {
  endpointUnverified,
  type RejectUnknown,
  webhooksNotConfigured,
} from '../endpoints/webhook-endpoints.service';
import type { WebhookReplaysStore } from './webhook-replays.store';

/** Which events to repeat: between two times or two numbers. */
export interface ReplayRequest {
  from: string | undefined;
  to: string | undefined;
  fromSequence: number | undefined;
  toSequence: number | undefined;
  types: readonly EventType[];
  only: ReplayOnly;
}

export interface ReplayPreview extends ReplayedPart {
  eventCount: number;
}

export type WebhookReplaysService = ReturnType<typeof createWebhookReplaysService>;

const replayNotFound = (): ServiceError =>
  new ServiceError('webhook_replay_not_found', {
    detail: 'This endpoint has no replay with this id. Replays are kept for 30 days after their end.',
  });

const replayRunning = (): ServiceError =>
  new ServiceError('webhook_replay_running', {
    detail:
      'This endpoint has a running replay. Wait until it ends, or cancel it. GET …/replays lists its replay_id.',
  });

export function createWebhookReplaysService(deps: {
  store: WebhookReplaysStore;
  /** Rejects an endpoint that the environment does not have. */
  rejectUnknown: RejectUnknown;
  limits: Pick<SendLimits, 'asFailure'>;
  /** Whether the operator has configured webhooks. */
  isConfigured: boolean;
}) {
  const { store, rejectUnknown, limits } = deps;

  async function replayable(environmentId: number, endpointId: string) {
    return (await store.replayable(environmentId, endpointId)) ?? rejectUnknown(environmentId);
  }

  async function partOf(
    environmentId: number,
    endpointId: string,
    { from, to, fromSequence, toSequence, types, only }: ReplayRequest,
    sends: boolean,
  ): Promise<ReplayedPart> {
    if (!deps.isConfigured) throw webhooksNotConfigured();
    const { firstSequence, lastSequence, position, isVerified } = await replayable(environmentId, endpointId);
    if (sends && !isVerified) throw endpointUnverified();
    if (fromSequence !== undefined && fromSequence < firstSequence) {
      throw new ServiceError('events_expired', {
        detail: `The feed keeps events for 180 days. Its first event is ${firstSequence}. Send from_sequence=${firstSequence}.`,
      });
    }
    const first =
      fromSequence ?? (from === undefined ? firstSequence : await store.firstSince(environmentId, from));
    const end =
      toSequence ?? (to === undefined ? lastSequence : (await store.firstSince(environmentId, to)) - 1);
    // Exclude the events after the endpoint's position, because they are delivered anyway.
    const last = Math.max(first - 1, Math.min(end, lastSequence, position));
    if (last - first >= mostReplayed) {
      const detail = `The range has more than ${mostReplayed.toLocaleString('en-US')} events of your feed. Replay from_sequence=${first} to_sequence=${first + mostReplayed - 1} first.`;
      const pointer = to === undefined ? '/to_sequence' : '/to';
      throw invalidRequest([{ pointer, code: 'out_of_range', detail }]);
    }
    return { fromSequence: first, toSequence: last, types, only };
  }

  async function count(environmentId: number, endpointId: string, request: ReplayRequest, sends: boolean) {
    const part = await partOf(environmentId, endpointId, request, sends);
    return { ...part, eventCount: await store.count(environmentId, endpointId, part) };
  }

  return {
    /** @throws ServiceError events_expired, invalid_request or webhook_endpoint_not_found */
    preview: (environmentId: number, endpointId: string, request: ReplayRequest): Promise<ReplayPreview> =>
      count(environmentId, endpointId, request, false),
    /**
     * @throws ServiceError the errors of `preview`, rate_limited, webhook_endpoint_unverified and
     *   webhook_replay_running
     */
    async create(environmentId: number, endpointId: string, request: ReplayRequest) {
      const { eventCount, ...part } = await count(environmentId, endpointId, request, true);
      try {
        return await limits.asFailure(environmentId, async () => {
          const added = await store.add(environmentId, uuidv7(), endpointId, part, eventCount);
          return added ?? rejectUnknown(environmentId);
        });
      } catch (error) {
        // A concurrent request or a reset deleted the endpoint.
        if (violates(error, 'webhook_replays_endpoint_fkey')) return rejectUnknown(environmentId);
        throw violates(error, 'webhook_replays_one_running') ? replayRunning() : error;
      }
    },
    /** @throws ServiceError webhook_endpoint_not_found */
    async list(environmentId: number, endpointId: string, limit: number) {
      await replayable(environmentId, endpointId);
      return store.list(environmentId, endpointId, limit);
    },
    /** @throws ServiceError webhook_replay_not_found, like cancel */
    get: async (environmentId: number, endpointId: string, replayId: string) =>
      (await store.get(environmentId, endpointId, replayId)) ??
      rejectUnknown(environmentId, replayNotFound()),
    cancel: async (environmentId: number, endpointId: string, replayId: string) =>
      (await store.cancel(environmentId, endpointId, replayId)) ??
      rejectUnknown(environmentId, replayNotFound()),
  };
}
