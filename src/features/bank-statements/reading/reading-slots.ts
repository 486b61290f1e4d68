import { ServiceError } from '../../../shared/errors';

export interface SlotLimits {
  /** The most files that are read at a time. */
  threads: number;
  /** The most files that wait with a limit of time. Each of them keeps its request open. */
  waiting: number;
}

/** Two threads leave the other CPUs to requests. */
const usualLimits: SlotLimits = { threads: 2, waiting: 4 };

export interface SlotWait {
  /** After this time, the wait fails. Without a limit, it lasts until there is a slot. */
  waitMs?: number | undefined;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
}

/**
 * Limits how many files this process reads at a time: one of each company. A company has several
 * environments, and a reset replaces one, so environments do not count.
 */
export interface ReadingSlots {
  /**
   * Waits for a slot. The first of those that can start is next.
   *
   * @returns a function that frees the slot
   * @throws ServiceError overloaded, with Retry-After: no slot became free in time
   * @throws the signal's reason, if it ends the wait
   */
  take(companyId: string, wait?: SlotWait): Promise<() => void>;
}

interface Waiting {
  companyId: string;
  isTimed: boolean;
  start: () => void;
}

const retryAfterSeconds = 10;

const overloaded = (): ServiceError =>
  new ServiceError('overloaded', {
    detail: 'Other files are being read. No changes were made. Wait Retry-After seconds, then retry.',
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });

export function createReadingSlots({ threads, waiting }: SlotLimits = usualLimits): ReadingSlots {
  const companies = new Set<string>();
  const queue = new Set<Waiting>();

  function startNext(): void {
    for (const next of queue) {
      if (companies.size >= threads) return;
      if (companies.has(next.companyId)) continue;
      queue.delete(next);
      companies.add(next.companyId);
      next.start();
    }
  }

  /** One file of a company may wait, so that it cannot occupy the queue. */
  function isQueueFull(companyId: string): boolean {
    const timed = [...queue].filter(({ isTimed }) => isTimed);
    return timed.length >= waiting || timed.some((one) => one.companyId === companyId);
  }

  return {
    async take(companyId, { waitMs, signal } = {}) {
      signal?.throwIfAborted();
      const isFree = companies.size < threads && !companies.has(companyId);
      if (waitMs !== undefined && !isFree && isQueueFull(companyId)) throw overloaded();
      await new Promise<void>((resolve, reject) => {
        const end = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
        };
        const one: Waiting = {
          companyId,
          isTimed: waitMs !== undefined,
          start() {
            end();
            resolve();
          },
        };
        const fail = (error: Error): void => {
          end();
          queue.delete(one);
          reject(error);
        };
        const leave = (): void => {
          fail(signal?.reason as Error);
        };
        const timer =
          waitMs === undefined
            ? undefined
            : setTimeout(() => {
                fail(overloaded());
              }, waitMs);
        signal?.addEventListener('abort', leave);
        queue.add(one);
        startNext();
      });
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        companies.delete(companyId);
        startNext();
      };
    },
  };
}
