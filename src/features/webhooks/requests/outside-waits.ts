import { ServiceError } from '../../../shared/errors';

/** Releases the request's slot while it waits. */
export type Outside = (wait: () => Promise<void>) => Promise<void>;

export interface OutsideLimits {
  /** What the requests wait for, as the error message names it. */
  what: string;
  /** The maximum number of waiting requests of one environment. */
  ofOne: number;
  /** Above this total, each environment may have only one waiting request. */
  shared: number;
  all: number;
}

/** Does the work while the partner's request holds no slot. */
export type OutsideWaits = <T>(environmentId: number, outside: Outside, work: () => Promise<T>) => Promise<T>;

/** Limits the requests that wait for machines of partners, which may never respond. */
export function createOutsideWaits({ what, ofOne, shared, all }: OutsideLimits): OutsideWaits {
  const waiting = new Map<number, number>();
  let total = 0;

  function enter(environmentId: number): void {
    const own = waiting.get(environmentId) ?? 0;
    const isCrowded = total >= all || (total >= shared && own > 0);
    if (own >= ofOne || isCrowded) {
      throw new ServiceError(own >= ofOne ? 'rate_limited' : 'overloaded', {
        detail: `At most ${ofOne} requests of an environment wait for ${what} at a time, and fewer while many environments wait. Wait Retry-After seconds.`,
        headers: { 'Retry-After': '1' },
      });
    }
    waiting.set(environmentId, own + 1);
    total += 1;
  }

  function leave(environmentId: number): void {
    total -= 1;
    const left = (waiting.get(environmentId) ?? 1) - 1;
    if (left > 0) waiting.set(environmentId, left);
    else waiting.delete(environmentId);
  }

  return async <T>(environmentId: number, outside: Outside, work: () => Promise<T>): Promise<T> => {
    enter(environmentId);
    try {
      const results: T[] = [];
      await outside(async () => {
        results.push(await work());
      });
      return results[0] as T;
    } finally {
      leave(environmentId);
    }
  };
}
