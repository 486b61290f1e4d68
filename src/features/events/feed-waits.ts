import { contained } from '../../shared/contained';
import type { EventsStore } from './events.store';

/** Why a request cannot wait. */
export type WaitRefusal = 'environment' | 'process';

export const mostWaitsOfOne = 5;
const mostWaits = 200;
const pollMs = 200;

interface Wait {
  environmentId: number;
  after: number;
  isOver: () => boolean;
  end: () => void;
}

/**
 * Waits for new events without holding a connection of the pool.
 *
 * While requests wait, one query every 200 ms reads the ends of all their feeds. It needs no
 * notifications, so it also works behind a pooler. If the database does not reply, requests still
 * end at their deadline.
 */
export function createFeedWaits(store: Pick<EventsStore, 'lastSequences'>) {
  const waits = new Set<Wait>();
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;

  async function endThoseWithEvents(): Promise<void> {
    isReading = true;
    const ids = [...new Set([...waits].map(({ environmentId }) => environmentId))];
    const ends = await store.lastSequences(ids).catch(() => new Map<number, number>());
    isReading = false;
    for (const wait of waits) if ((ends.get(wait.environmentId) ?? 0) > wait.after) wait.end();
  }

  const check = contained(() => {
    timer = undefined;
    for (const wait of waits) if (wait.isOver()) wait.end();
    if (waits.size > 0 && !isReading) void endThoseWithEvents();
    schedule();
  }, schedule);

  function schedule(): void {
    if (waits.size > 0) timer ??= setTimeout(check, pollMs);
  }

  return {
    /** @returns a refusal if too many requests wait */
    refusal(environmentId: number): WaitRefusal | undefined {
      if (waits.size >= mostWaits) return 'process';
      const own = [...waits].filter((wait) => wait.environmentId === environmentId);
      return own.length >= mostWaitsOfOne ? 'environment' : undefined;
    },
    /** Resolves when the feed has an event after `after`, at the deadline, or when `isOver`. */
    until({ milliseconds, ...wanted }: Omit<Wait, 'end'> & { milliseconds: number }): Promise<void> {
      return new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(deadline);
          waits.delete(wait);
          resolve();
        };
        const deadline = setTimeout(end, milliseconds);
        const wait: Wait = { ...wanted, end };
        waits.add(wait);
        schedule();
      });
    },
  };
}
