import { randomUUID } from 'node:crypto';

import { loggable } from '../../../http/errors/loggable-error';
import type { Logger } from '../../../shared/logger';
import { startPolling } from '../../../shared/polling';
import type { Work } from './delivery';
import { runSession, type SessionDependencies } from './delivery-session';
import { createFailedLeases } from './failed-leases';
import { createProcessSlots } from './process-slots';
import { createReadAhead } from './read-ahead';
import { createShares, type ShareLimits } from './shares';
import type { Sender } from '../sending/sender';
import { mostEndpoints } from '../endpoints/webhook-endpoint';

export type Courier = ReturnType<typeof startCourier>;

export interface CourierDependencies extends Omit<
  SessionDependencies,
  'isStopped' | 'isAborted' | 'isCrowded' | 'slots' | 'slow' | 'readAhead'
> {
  sender: Pick<Sender, 'send' | 'isStopped'>;
  logger: Logger;
  /** The poll interval while nothing is delivered. Default: one second. */
  pollMs?: number | undefined;
}

const busyPollMs = 100;
/** The courier polls because other processes may relay events or leave some undelivered. */
const usualIdlePollMs = 1_000;
/** The retry interval while the database is unavailable. Each retry logs one line. */
const retryMs = 5_000;
const mostFound = 500;
/** The number of endpoints that a process serves at a time. */
const sessionLimits: ShareLimits = {
  all: 200,
  unproven: 150,
  failing: 125,
  ofEnvironment: mostEndpoints,
  unprovenOfEnvironment: mostEndpoints,
};
/**
 * The number of concurrent requests to receivers. An endpoint that is down holds one for up to 15
 * seconds.
 */
const requestLimits: ShareLimits = {
  all: 200,
  unproven: 150,
  failing: 125,
  ofEnvironment: 16,
  unprovenOfEnvironment: 10,
};
/** The maximum number of events to read ahead. With 2 kB each, they take about 20 MB. */
const mostReadAhead = 10_000;
/** The reserve allows one batch for each of 20 more environments. */
const readAheadReserve = { reserved: 2_000, least: 100 };

/**
 * Delivers events to endpoints. Every process looks for work, and a lease in the database gives
 * each endpoint to one of them. A process that is killed leaves a lease that ends after 30 seconds.
 * Another process then repeats unrecorded deliveries.
 */
export function startCourier(deps: CourierDependencies) {
  const { store, logger, pollMs: idlePollMs = usualIdlePollMs } = deps;
  const sessions = new Map<string, Promise<void>>();
  const shares = createShares(sessionLimits);
  const leases = createFailedLeases(store, () => polling.isStopped);
  const session = {
    ...deps,
    slots: createProcessSlots(requestLimits),
    slow: new Set<string>(),
    readAhead: createReadAhead(mostReadAhead, readAheadReserve),
    isCrowded: () => sessions.size >= sessionLimits.all,
    isStopped: () => polling.isStopped,
    isAborted: () => deps.sender.isStopped,
  };

  async function serve(work: Work): Promise<void> {
    const free = shares.take(work.reliability, work.environmentId);
    const leaseId = randomUUID();
    try {
      const endpoint = await store.claim(work, leaseId);
      if (endpoint) await runSession(session, endpoint);
      leases.forget(work.endpointId);
    } catch (error) {
      // Another session repeats the deliveries that were not recorded.
      logger.warn({ endpoint_id: work.endpointId, error: loggable(error) }, 'webhooks not delivered');
      await leases.giveUp({ ...work, leaseId });
    } finally {
      free();
      sessions.delete(work.endpointId);
    }
  }

  /** @returns the time until the next poll */
  async function poll(): Promise<number> {
    try {
      for (const work of await store.findWork(mostFound, shares.environmentsAtLimit())) {
        if (sessions.has(work.endpointId) || !shares.isFree(work.reliability, work.environmentId)) continue;
        sessions.set(work.endpointId, serve(work));
      }
      return sessions.size > 0 ? busyPollMs : idlePollMs;
    } catch (error) {
      logger.warn({ error: loggable(error) }, 'search for webhooks to deliver failed');
      return retryMs;
    }
  }

  const polling = startPolling(poll, idlePollMs);
  return {
    /** Looks for work immediately, because there are new events. */
    wake() {
      polling.wake();
    },
    /** Starts no more attempts, and waits for those in progress. Stop the sender to end them. */
    async stop() {
      await polling.stop();
      await Promise.all(sessions.values());
    },
  };
}
