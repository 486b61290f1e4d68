/** Many small things, done together. */
export interface Together<T> {
  /** Does it soon, with others. */
  soon: (item: T) => void;
  /** Does all that are left, at once. */
  now: () => void;
}

/**
 * Does in one go what belongs to many requests and none of them waits for. Done one by one, between the steps of other requests, the
 * same takes several times as long, because the processor has forgotten all about it meanwhile.
 *
 * @param withinMs how long one waits for others at most: while requests come by thousands a second, some dozens are done in one go
 */
export function together<T>(work: (item: T) => void, withinMs = 20): Together<T> {
  let items: T[] = [];
  const now = (): void => {
    const all = items;
    items = [];
    for (const item of all) work(item);
  };
  return {
    soon(item) {
      if (items.push(item) === 1) setTimeout(now, withinMs);
    },
    now,
  };
}
