/** Limits the events that a process reads beyond its batches, so that they need little memory. */
export type ReadAhead = ReturnType<typeof createReadAhead>;

/** A reserve for environments that start to read when others have used almost the whole limit. */
interface Reserve {
  /** The number of events that the usual shares exclude. */
  reserved: number;
  /** The total that an environment may always take while the reserve lasts. */
  least: number;
}

/**
 * An environment may take half of what the others leave, and up to `least` events from the reserve.
 */
export function createReadAhead(most: number, { reserved, least }: Reserve = { reserved: 0, least: 0 }) {
  const takenBy = new Map<number, number>();
  let taken = 0;

  function add(environmentId: number, count: number): void {
    taken += count;
    const next = (takenBy.get(environmentId) ?? 0) + count;
    if (next === 0) takenBy.delete(environmentId);
    else takenBy.set(environmentId, next);
  }

  function mayTake(environmentId: number, count: number): boolean {
    const own = takenBy.get(environmentId) ?? 0;
    if (own + count <= (most - reserved - (taken - own)) / 2) return true;
    return own + count <= least && taken + count <= most;
  }

  return {
    /** @returns false if there are too many; nothing was taken */
    take(environmentId: number, count: number) {
      if (!mayTake(environmentId, count)) return false;
      add(environmentId, count);
      return true;
    },
    free(environmentId: number, count: number) {
      add(environmentId, -count);
    },
  };
}
