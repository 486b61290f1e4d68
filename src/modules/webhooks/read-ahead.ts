/** Bounds the events that a process reads beyond its batches, so that they need little memory. */
export interface ReadAhead {
  /** @returns false if there are too many, and then nothing was taken */
  take(count: number): boolean;
  free(count: number): void;
}

export function createReadAhead(most: number): ReadAhead {
  let taken = 0;
  return {
    take(count) {
      if (taken + count > most) return false;
      taken += count;
      return true;
    },
    free(count) {
      taken -= count;
    },
  };
}
