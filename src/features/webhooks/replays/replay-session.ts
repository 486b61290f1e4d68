import type { FeedEvent } from '../../events/feed-event';
import { logOfBatch } from '../attempts/attempt-log';
import { type BatchOutcome, deliverInOrder } from '../courier/ordered-deliveries';
import { createPermits } from '../requests/permits';
import type { ProcessSlots } from '../courier/process-slots';
import type { ClaimedReplay, ReplayLaneStore, ReplayProgress } from './replay-lane.store';
import type { SendLimits } from '../requests/send-limits';
import type { Sender } from '../sending/sender';
import type { WebhookAttemptsStore } from '../attempts/webhook-attempts.store';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint';
import type { WebhookEndpointsStore } from '../endpoints/webhook-endpoints.store';
import type { WebhookMessages } from '../sending/webhook-message';

export interface ReplaySessionDependencies {
  store: ReplayLaneStore;
  endpoints: Pick<WebhookEndpointsStore, 'get'>;
  attempts: Pick<WebhookAttemptsStore, 'log' | 'logDelivered'>;
  sender: Pick<Sender, 'send' | 'isStopped'>;
  limits: Pick<SendLimits, 'waitForRequest'>;
  messages: WebhookMessages;
  slots: ProcessSlots;
  /** Whether the process shuts down. */
  isStopped: () => boolean;
}

/** The number of connections to an endpoint for a replay. The others are for new events. */
const concurrency = 2;
const mostInBatch = 100;
/** After this time, a batch starts no more attempts, so that changed settings apply soon. */
const batchMs = 2_000;
/**
 * A batch starts no attempt after this time. Even with the total timeout, the lease outlasts it.
 */
const startWithinMs = 10_000;
/** The time for which a replay is sent before another one may start. */
const timeSliceMs = 20_000;

/**
 * The waits between the attempts of one event, in seconds. After the last attempt, the event is
 * skipped.
 */
const waitsSeconds = [5, 30, 120, 600, 1_800] as const;
const mostSkippedInRow = 3;

const canReceive = ({ disabledAt, verifiedAt, nextProbeAt }: WebhookEndpoint): boolean =>
  disabledAt === null && verifiedAt !== null && nextProbeAt === null;

/** The progress of a replay after a batch. A failed event pauses the replay. */
function progressOf(
  replay: ClaimedReplay,
  events: readonly FeedEvent[],
  endsAt: number,
  outcome: BatchOutcome,
): ReplayProgress {
  const delivered = new Set(
    outcome.attempted.filter(({ result }) => result.isSuccess).map(({ delivery }) => delivery.event),
  );
  const failed = new Set(
    outcome.attempted.filter(({ result }) => !result.isSuccess).map(({ delivery }) => delivery.event),
  );
  const stopsAt = events.findIndex((event) => !delivered.has(event));
  const reached = stopsAt < 0 ? events.length : stopsAt;
  const stop = events[reached];
  const before = events[reached - 1]?.sequence ?? replay.position;
  const base = { delivered: reached, skipped: 0, attempts: 0, skippedInRow: 0, waitSeconds: 0 };
  const skippedBefore = reached > 0 ? 0 : replay.skippedInRow;
  if (stop === undefined)
    return endOrGoOn(replay, { ...base, position: endsAt, skippedInRow: skippedBefore });
  if (!failed.has(stop)) {
    const attempts = reached > 0 ? 0 : replay.attempts;
    return endOrGoOn(replay, { ...base, position: before, attempts, skippedInRow: skippedBefore });
  }
  const attempts = (reached > 0 ? 0 : replay.attempts) + 1;
  const waitSeconds = waitsSeconds[attempts - 1];
  if (waitSeconds !== undefined) {
    const waits = { ...base, position: before, attempts, skippedInRow: skippedBefore, waitSeconds };
    return { ...waits, outcome: null, continues: false };
  }
  return endOrGoOn(replay, { ...base, position: stop.sequence, skipped: 1, skippedInRow: skippedBefore + 1 });
}

function endOrGoOn(
  { toSequence }: ClaimedReplay,
  progress: Omit<ReplayProgress, 'outcome' | 'continues'>,
): ReplayProgress {
  const isCompleted = progress.position >= toSequence;
  const hasFailed = progress.skippedInRow >= mostSkippedInRow;
  const outcome = isCompleted ? 'completed' : hasFailed ? 'failed' : null;
  return { ...progress, outcome, continues: outcome === null };
}

async function logAttempts(
  { attempts }: ReplaySessionDependencies,
  { environmentId, endpointId }: ClaimedReplay,
  { attempted }: BatchOutcome,
): Promise<void> {
  const log = logOfBatch(attempted, () => false, 'replay');
  for (const one of log.attempts) await attempts.log(environmentId, endpointId, one);
  for (const some of log.delivered) await attempts.logDelivered(environmentId, endpointId, some);
}

/**
 * Sends the events of a replay to its endpoint for one time slice. The caller holds its lease.
 * If a process is killed, the events after the last recorded batch are sent again.
 */
export async function runReplay(deps: ReplaySessionDependencies, claimed: ClaimedReplay): Promise<void> {
  const { store, sender, messages, slots } = deps;
  const endsAtMs = performance.now() + timeSliceMs;
  const permits = createPermits(() => concurrency);
  let replay = claimed;
  for (;;) {
    const startedAt = performance.now();
    const endpoint = await deps.endpoints.get(replay.environmentId, replay.endpointId);
    if (!endpoint || !canReceive(endpoint) || deps.isStopped() || startedAt > endsAtMs)
      return store.release(replay);
    const { events, endsAt } = await store.readBatch(replay, mostInBatch);
    const deliveries = events.map((event, index) => ({
      kind: 'first' as const,
      event,
      attempts: index === 0 ? replay.attempts : 0,
      outageAttempts: 0,
      isBlocked: false,
      hasRetry: false,
    }));
    const outcome = await deliverInOrder(deliveries, {
      attempt: ({ event }) => sender.send(messages.ofEvent(endpoint, event, true)),
      takeSlot: async () => {
        await deps.limits.waitForRequest(endpoint.url);
        return slots.take('proven', replay.environmentId);
      },
      permitsFor: () => permits,
      isOver: (attempted, hasStarted) =>
        deps.isStopped() ||
        performance.now() - startedAt > (hasStarted ? batchMs : startWithinMs) ||
        attempted.some(({ result }) => !result.isSuccess),
      isAborted: () => sender.isStopped,
    });
    await logAttempts(deps, replay, outcome);
    const progress = progressOf(replay, events, endsAt, outcome);
    if (!(await store.record(replay, progress)) || !progress.continues) return;
    replay = {
      ...replay,
      position: progress.position,
      attempts: progress.attempts,
      skippedInRow: progress.skippedInRow,
    };
  }
}
