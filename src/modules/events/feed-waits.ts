import type { EventsStore } from './events.store';

/** Why a request cannot wait. */
export type WaitRefusal = 'environment' | 'process';

/** Waits for new events without holding a connection of the pool. */
export interface FeedWaits {
  /** @returns a refusal if too many requests wait */
  refusal(environmentId: number): WaitRefusal | undefined;
  /** Resolves when the feed has an event after `after`, at the deadline, or when `isOver`. */
  until(wait: {
    environmentId: number;
    after: number;
    milliseconds: number;
    isOver: () => boolean;
  }): Promise<void>;
}

export const mostWaitsOfOne = 5;
const mostWaits = 200;
const pollMs = 200;

interface Wait {
  environmentId: number;
  after: number;
  endsAt: number;
  isOver: () => boolean;
  end: () => void;
}

/**
 * While requests wait, one statement every 200 ms reads the ends of all their feeds. It needs no
 * notifications, so it works behind a pooler too.
 */
export function createFeedWaits(store: Pick<EventsStore, 'lastSequences'>): FeedWaits {
  const waits = new Set<Wait>();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    const ids = [...new Set([...waits].map(({ environmentId }) => environmentId))];
    // While the database is unavailable, requests wait until their deadline.
    const ends = await store.lastSequences(ids).catch(() => new Map<number, number>());
    const now = performance.now();
    for (const wait of waits) {
      const hasNew = (ends.get(wait.environmentId) ?? 0) > wait.after;
      if (hasNew || now >= wait.endsAt || wait.isOver()) wait.end();
    }
    timer = undefined;
    schedule();
  }

  function schedule(): void {
    if (waits.size > 0) timer ??= setTimeout(() => void check(), pollMs);
  }

  return {
    refusal(environmentId) {
      if (waits.size >= mostWaits) return 'process';
      const own = [...waits].filter((wait) => wait.environmentId === environmentId);
      return own.length >= mostWaitsOfOne ? 'environment' : undefined;
    },
    until({ environmentId, after, milliseconds, isOver }) {
      return new Promise((resolve) => {
        const wait: Wait = {
          environmentId,
          after,
          endsAt: performance.now() + milliseconds,
          isOver,
          end: () => {
            waits.delete(wait);
            resolve();
          },
        };
        waits.add(wait);
        schedule();
      });
    },
  };
}
