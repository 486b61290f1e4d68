/** Bounds the events that a process reads beyond its batches, so that they need little memory. */
export interface ReadAhead {
  /** @returns false if there are too many; nothing was taken */
  take(environmentId: number, count: number): boolean;
  free(environmentId: number, count: number): void;
}

/** An environment may take half of what the others leave, so that something is left for each. */
export function createReadAhead(most: number): ReadAhead {
  const takenBy = new Map<number, number>();
  let taken = 0;

  function add(environmentId: number, count: number): void {
    taken += count;
    const next = (takenBy.get(environmentId) ?? 0) + count;
    if (next === 0) takenBy.delete(environmentId);
    else takenBy.set(environmentId, next);
  }

  return {
    take(environmentId, count) {
      const own = takenBy.get(environmentId) ?? 0;
      if (own + count > (most - (taken - own)) / 2) return false;
      add(environmentId, count);
      return true;
    },
    free(environmentId, count) {
      add(environmentId, -count);
    },
  };
}
