import { v7 as uuidv7 } from 'uuid';

import { ConstraintViolation } from '../../../db/errors';
import { invalidRequest, ServiceError } from '../../../shared/errors';
import type { EventType } from '../../events/event-type.field';
import type { ReplayOnly } from './replay-status.field';
import type { SendLimits } from '../requests/send-limits';
import { mostReplayed, type ReplayedPart, type WebhookReplay } from './webhook-replay';
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

export interface WebhookReplaysService {
  /** @throws ServiceError events_expired, invalid_request or webhook_endpoint_not_found */
  preview(environmentId: number, endpointId: string, request: ReplayRequest): Promise<ReplayPreview>;
  /**
   * @throws ServiceError the errors of `preview`, rate_limited, webhook_endpoint_unverified and
   *   webhook_replay_running
   */
  create(environmentId: number, endpointId: string, request: ReplayRequest): Promise<WebhookReplay>;
  /** @throws ServiceError webhook_endpoint_not_found */
  list(environmentId: number, endpointId: string, limit: number): Promise<WebhookReplay[]>;
  /** @throws ServiceError webhook_replay_not_found, like cancel */
  get(environmentId: number, endpointId: string, replayId: string): Promise<WebhookReplay>;
  cancel(environmentId: number, endpointId: string, replayId: string): Promise<WebhookReplay>;
  /** Undefined if the endpoint has no running replay. */
  cancelRunning(environmentId: number, endpointId: string): Promise<WebhookReplay | undefined>;
}

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
}): WebhookReplaysService {
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
    preview: (environmentId, endpointId, request) => count(environmentId, endpointId, request, false),
    async create(environmentId, endpointId, request) {
      const { eventCount, ...part } = await count(environmentId, endpointId, request, true);
      try {
        return await limits.asFailure(environmentId, async () => {
          const added = await store.add(environmentId, uuidv7(), endpointId, part, eventCount);
          return added ?? rejectUnknown(environmentId);
        });
      } catch (error) {
        const violated = error instanceof ConstraintViolation ? error.constraint : undefined;
        // A concurrent request or a reset deleted the endpoint.
        if (violated === 'webhook_replays_endpoint_fkey') return rejectUnknown(environmentId);
        if (violated !== 'webhook_replays_one_running') throw error;
        throw replayRunning();
      }
    },
    async list(environmentId, endpointId, limit) {
      await replayable(environmentId, endpointId);
      return store.list(environmentId, endpointId, limit);
    },
    get: async (environmentId, endpointId, replayId) =>
      (await store.get(environmentId, endpointId, replayId)) ??
      rejectUnknown(environmentId, replayNotFound()),
    cancel: async (environmentId, endpointId, replayId) =>
      (await store.cancel(environmentId, endpointId, replayId)) ??
      rejectUnknown(environmentId, replayNotFound()),
    cancelRunning: (environmentId, endpointId) => store.cancelRunning(environmentId, endpointId),
  };
}
