/** Collects small pieces of work and does them in batches. */
export interface Batcher<T> {
  /** Does the work with the next batch. */
  add: (item: T) => void;
  /** Does all waiting work now. */
  flush: () => void;
}

/**
 * Batches work that no request waits for, such as counting and logging. One by one, between the
 * steps of other requests, the same work takes several times as long, because it no longer is in
 * the processor's caches.
 *
 * @param withinMs the longest time that an item waits; at thousands of requests per second a
 *   batch has some dozens of items
 */
export function createBatcher<T>(work: (item: T) => void, withinMs = 20): Batcher<T> {
  let items: T[] = [];
  const flush = (): void => {
    const all = items;
    items = [];
    for (const item of all) work(item);
  };
  return {
    add(item) {
      if (items.push(item) === 1) setTimeout(flush, withinMs);
    },
    flush: flush,
  };
}
