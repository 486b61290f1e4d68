import { setTimeout as delay } from 'node:timers/promises';

import { loggable } from '../../../../http/errors/loggable-error';
import { dayMs, type Clock } from '../../../../shared/clock';
import type { Logger } from '../../../../shared/logger';
import { type Polling, startPolling } from '../../../../shared/polling';
import type { AgedOpenPositions, OpenPositionsStore } from './open-positions.store';
import type { PositionPages } from './position-pages';

/** Newer positions need no alert: money takes days to arrive, and banks send statements later. */
const youngestDays = 7;
/**
 * Covers the last closed month and the month before. The operators' report has older contributions.
 */
const oldestDays = 62;
const rowsAtOnce = 1_000;
/** The pause between two pages, so that the count never competes with requests. */
const pauseMs = 50;
const pollMs = 60_000;

/** Counts the positions of one environment that is due. Returns false if none is due. */
export type CountOpenPositions = () => Promise<boolean>;

export interface OpenPositionsWork {
  store: Pick<OpenPositionsStore, 'claim' | 'finish'>;
  positionPages: Pick<PositionPages, 'pages'>;
  clock: Clock;
}

export function createCountOpenPositions(
  { store, positionPages, clock }: OpenPositionsWork,
  isStopped: () => boolean = () => false,
): CountOpenPositions {
  return async () => {
    const environmentId = await store.claim();
    if (environmentId === undefined) return false;
    const now = clock.now().getTime();
    const before = (days: number): string => new Date(now - days * dayMs).toISOString();
    const range = { from: before(oldestDays), to: before(youngestDays) };
    const request = { limit: rowsAtOnce, after: undefined, requestId: '', stopIfLeft: () => undefined };
    const counts: AgedOpenPositions = { from7To14Days: 0, from14To30Days: 0, over30Days: 0 };
    for await (const page of positionPages.pages({ environmentId }, range, request)) {
      for (const { isOpen, contribution } of page.positions) {
        if (!isOpen) continue;
        const days = (now - contribution.createdAt.getTime()) / dayMs;
        counts[days >= 30 ? 'over30Days' : days >= 14 ? 'from14To30Days' : 'from7To14Days'] += 1;
      }
      if (isStopped()) return false;
      if (page.next) await delay(pauseMs);
    }
    await store.finish(environmentId, counts);
    return true;
  };
}

/**
 * Counts open positions in the background, one environment at a time. The metric then reads only
 * one row per environment. No index can store a position, because it depends on statements,
 * completions, returns and covered days.
 */
export function startOpenPositions(work: OpenPositionsWork, logger: Logger): Pick<Polling, 'stop'> {
  const count = createCountOpenPositions(work, () => polling.isStopped);
  const polling = startPolling(async () => {
    try {
      while (!polling.isStopped && (await count()));
    } catch (error) {
      // The environment stays claimed for a while, so the others go first.
      logger.warn({ error: loggable(error) }, 'open positions not counted');
    }
    return pollMs;
  }, pollMs);
  return polling;
}
