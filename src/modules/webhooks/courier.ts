import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { loggable } from '../../http/errors/loggable-error';
import type { Logger } from '../../shared/logger';
import { startPolling } from '../../shared/polling';
import type { Work } from './delivery';
import { runSession, type SessionDependencies } from './delivery-session';
import { createFailedLeases } from './failed-leases';
import { createProcessSlots } from './process-slots';
import { createReadAhead } from './read-ahead';
import { createShares, type ShareLimits } from './shares';
import type { Sender } from './sender';
import type { WebhookAttemptsStore } from './webhook-attempts.store';
import { mostEndpoints } from './webhook-endpoint';

export interface Courier {
  /** Looks for work now: there are new events. */
  wake(): void;
  /** Starts no more attempts, and gives those in progress some time. */
  stop(withinMs: number): Promise<void>;
}

export interface CourierDependencies extends Omit<
  SessionDependencies,
  'isStopped' | 'isAborted' | 'isCrowded' | 'slots' | 'slow' | 'readAhead'
> {
  sender: Sender;
  attempts: Pick<WebhookAttemptsStore, 'trim'>;
  logger: Logger;
  /** The time until it looks for work again, if it delivers nothing. Default: a second. */
  pollMs?: number | undefined;
}

const busyPollMs = 100;
/** Other processes may relay events, or have left some undelivered. */
const usualIdlePollMs = 1_000;
/** While the database is unavailable, the log gets one line in this time. */
const retryMs = 5_000;
const mostFound = 500;
/** Endpoints that a process serves at a time. */
const sessionLimits: ShareLimits = {
  all: 200,
  unproven: 150,
  failing: 125,
  ofEnvironment: mostEndpoints,
  unprovenOfEnvironment: mostEndpoints,
};
/** Requests to receivers at a time. An endpoint that is down holds one for up to 15 seconds. */
const requestLimits: ShareLimits = {
  all: 200,
  unproven: 150,
  failing: 125,
  ofEnvironment: 16,
  unprovenOfEnvironment: 10,
};
/** With 2 kB each, about 20 MB. */
const mostReadAhead = 10_000;
/** One batch for each of 20 more environments. */
const readAheadReserve = { reserved: 2_000, least: 100 };
const trimIntervalMs = 3_600_000;
const trimRetryMs = 60_000;

/**
 * Delivers events to endpoints. Every process looks for work, and a lease in the database gives
 * each endpoint to one of them. A process that is killed leaves a lease that ends after 30 seconds.
 * Another process then repeats unrecorded deliveries.
 */
export function startCourier(deps: CourierDependencies): Courier {
  const { store, logger, pollMs: idlePollMs = usualIdlePollMs } = deps;
  const sessions = new Map<string, Promise<void>>();
  const shares = createShares(sessionLimits);
  let isAborted = false;
  let trimsAt = 0;
  const leases = createFailedLeases(store, () => polling.isStopped);
  const session = {
    ...deps,
    slots: createProcessSlots(requestLimits),
    slow: new Set<string>(),
    readAhead: createReadAhead(mostReadAhead, readAheadReserve),
    isCrowded: () => sessions.size >= sessionLimits.all,
    isStopped: () => polling.isStopped,
    isAborted: () => isAborted,
  };

  async function serve(work: Work): Promise<void> {
    const free = shares.take(work.standing, work.environmentId);
    const leaseId = randomUUID();
    try {
      const endpoint = await store.claim(work, leaseId);
      if (endpoint) await runSession(session, endpoint);
      leases.forget(work.endpointId);
    } catch (error) {
      // Deliveries that were not recorded are repeated.
      logger.warn({ endpoint_id: work.endpointId, error: loggable(error) }, 'webhooks not delivered');
      await leases.giveUp({ ...work, leaseId });
    } finally {
      free();
      sessions.delete(work.endpointId);
    }
  }

  /** Deletes old attempts once an hour. One call is bounded. */
  async function trim(): Promise<void> {
    if (performance.now() < trimsAt) return;
    // A failure, which ends this poll, must not end the next ones.
    trimsAt = performance.now() + trimRetryMs;
    trimsAt = (await deps.attempts.trim()) ? 0 : performance.now() + trimIntervalMs;
  }

  /** @returns the time until the next poll */
  async function poll(): Promise<number> {
    try {
      for (const work of await store.findWork(mostFound, shares.environmentsAtLimit())) {
        if (sessions.has(work.endpointId) || !shares.isFree(work.standing, work.environmentId)) continue;
        sessions.set(work.endpointId, serve(work));
      }
      await trim();
      return sessions.size > 0 ? busyPollMs : idlePollMs;
    } catch (error) {
      logger.warn({ error: loggable(error) }, 'search for webhooks to deliver failed');
      return retryMs;
    }
  }

  const polling = startPolling(poll, idlePollMs);
  return {
    wake() {
      polling.wake();
    },
    async stop(withinMs) {
      await polling.stop();
      const ended = Promise.all(sessions.values());
      await Promise.race([ended, delay(withinMs, undefined, { ref: false })]);
      isAborted = true;
      deps.sender.stop();
      await ended;
    },
  };
}
