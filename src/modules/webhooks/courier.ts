import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { loggable } from '../../http/errors/loggable-error';
import type { Logger } from '../../shared/logger';
import { startPolling } from '../../shared/polling';
import type { Work } from './delivery';
import { runSession, type SessionDependencies } from './delivery-session';
import { createProcessSlots } from './process-slots';
import type { Sender } from './sender';
import type { WebhookAttemptsStore } from './webhook-attempts.store';

export interface Courier {
  /** Starts no more attempts, and waits for those in progress. */
  stop(): Promise<void>;
}

export interface CourierDependencies extends Omit<
  SessionDependencies,
  'isStopped' | 'isAbandoned' | 'slots'
> {
  sender: Sender;
  attempts: Pick<WebhookAttemptsStore, 'trim'>;
  logger: Logger;
}

const busyPollMs = 100;
const idlePollMs = 250;
/** While the database is unavailable, the log gets one line in this time. */
const retryMs = 5_000;
const mostFound = 500;
const mostSessions = 200;
/** Of these, endpoints that may be down. */
const mostUnprovenSessions = 100;
const mostRequests = 200;
const mostUnprovenRequests = 100;
const trimIntervalMs = 3_600_000;
/** At shutdown, requests in progress get this time. */
const stopWithinMs = 1_000;

/**
 * Delivers events to endpoints. Every process looks for work, and a lease in the database gives
 * each endpoint to one of them. A process that is killed leaves a lease that ends after 30 seconds;
 * another one then delivers again what was not recorded.
 */
export function startCourier(deps: CourierDependencies): Courier {
  const { store, logger } = deps;
  const sessions = new Map<string, Promise<void>>();
  let unprovenSessions = 0;
  let isAbandoned = false;
  let trimsAt = 0;
  const session = {
    ...deps,
    slots: createProcessSlots(mostRequests, mostUnprovenRequests),
    isStopped: () => polling.isStopped,
    isAbandoned: () => isAbandoned,
  };

  async function serve(work: Work): Promise<void> {
    if (work.isUnproven) unprovenSessions += 1;
    try {
      const endpoint = await store.claim(work, randomUUID());
      if (endpoint) await runSession(session, endpoint);
    } catch (error) {
      // What was not recorded is delivered again.
      logger.warn({ endpoint_id: work.endpointId, error: loggable(error) }, 'webhooks not delivered');
    } finally {
      if (work.isUnproven) unprovenSessions -= 1;
      sessions.delete(work.endpointId);
    }
  }

  /** Deletes old attempts once an hour. One call is bounded. */
  async function trim(): Promise<void> {
    if (performance.now() < trimsAt) return;
    if (!(await deps.attempts.trim())) trimsAt = performance.now() + trimIntervalMs;
  }

  /** @returns the time until the next poll */
  async function poll(): Promise<number> {
    try {
      for (const work of await store.findWork(mostFound)) {
        if (sessions.has(work.endpointId) || sessions.size >= mostSessions) continue;
        if (work.isUnproven && unprovenSessions >= mostUnprovenSessions) continue;
        sessions.set(work.endpointId, serve(work));
      }
      await trim();
      return sessions.size > 0 ? busyPollMs : idlePollMs;
    } catch (error) {
      logger.warn({ error: loggable(error) }, 'webhooks not looked for');
      return retryMs;
    }
  }

  const polling = startPolling(poll, idlePollMs);
  return {
    async stop() {
      await polling.stop();
      const ended = Promise.all(sessions.values());
      await Promise.race([ended, delay(stopWithinMs, undefined, { ref: false })]);
      isAbandoned = sessions.size > 0;
      deps.sender.stop();
      await ended;
    },
  };
}
