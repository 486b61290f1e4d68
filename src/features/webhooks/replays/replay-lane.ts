import { randomUUID } from 'node:crypto';

import { loggable } from '../../../http/errors/loggable-error';
import type { Logger } from '../../../shared/logger';
import { startPolling } from '../../../shared/polling';
import { createProcessSlots } from '../courier/process-slots';
import type { ReplayWork } from './replay-lane.store';
import { type ReplaySessionDependencies, runReplay } from './replay-session';
import type { ShareLimits } from '../courier/shares';

export type ReplayLane = ReturnType<typeof startReplayLane>;

export interface ReplayLaneDependencies extends Omit<ReplaySessionDependencies, 'isStopped' | 'slots'> {
  logger: Logger;
  /** How long it waits before it looks for replays again. Default: a second. */
  pollMs?: number | undefined;
}

const usualPollMs = 1_000;
const retryMs = 5_000;
/** The number of replays that a process sends at a time. The others wait for a slot. */
const mostSessions = 4;
/** One environment sends at most this many, so that one replay is left for the others. */
const mostSessionsOfOne = 3;
/** The limits are 0 for unproven endpoints, because replays go only to endpoints that work. */
const requestLimits: ShareLimits = {
  all: 8,
  unproven: 0,
  failing: 0,
  ofEnvironment: 8,
  unprovenOfEnvironment: 0,
};

/**
 * Sends replays more slowly than new events. Replays have their own slots, leases and sessions, so
 * new events never wait for a replay.
 */
export function startReplayLane(deps: ReplayLaneDependencies) {
  const { store, logger, pollMs = usualPollMs } = deps;
  const sessions = new Map<string, { environmentId: number; ended: Promise<void> }>();
  const session = {
    ...deps,
    slots: createProcessSlots(requestLimits),
    isStopped: () => polling.isStopped,
  };

  async function serve(work: ReplayWork): Promise<void> {
    try {
      const replay = await store.claim(work, randomUUID());
      if (replay) await runReplay(session, replay);
    } catch (error) {
      // Events that were not recorded are sent again.
      logger.warn({ replay_id: work.replayId, error: loggable(error) }, 'events not replayed');
    } finally {
      sessions.delete(work.replayId);
    }
  }

  const environmentsAtLimit = (): number[] => {
    const ids = [...sessions.values()].map(({ environmentId }) => environmentId);
    return ids.filter((id) => ids.filter((other) => other === id).length >= mostSessionsOfOne);
  };

  function begin(work: ReplayWork): void {
    const { environmentId, replayId } = work;
    if (sessions.has(replayId) || environmentsAtLimit().includes(environmentId)) return;
    sessions.set(replayId, { environmentId, ended: serve(work) });
  }

  async function poll(): Promise<number> {
    try {
      const free = mostSessions - sessions.size;
      for (const work of free > 0 ? await store.findWork(free, environmentsAtLimit()) : []) begin(work);
      return pollMs;
    } catch (error) {
      logger.warn({ error: loggable(error) }, 'search for replays failed');
      return retryMs;
    }
  }

  const polling = startPolling(poll, pollMs);
  return {
    /** Starts no more attempts, and waits for those in progress. Stop the sender to end them. */
    async stop() {
      await polling.stop();
      await Promise.all([...sessions.values()].map(({ ended }) => ended));
    },
  };
}
