/**
 * Holds a limited number of entries of tenants. A tenant cannot use up the space of other tenants.
 */
export interface FairBuffer<Entry> {
  /**
   * Takes an entry. When the buffer is full, the tenant with the most entries loses its latest one,
   * which may be this one.
   *
   * @returns the entry that was dropped
   */
  add(tenantId: number, entry: Entry): Entry | undefined;
  remove(tenantId: number, entry: Entry): void;
  /** The number of buffered entries of the tenant. */
  countOf(tenantId: number): number;
  /** Removes and returns all entries. */
  drain(): (readonly [tenantId: number, entry: Entry])[];
}

export function createFairBuffer<Entry>(most: number): FairBuffer<Entry> {
  let entries = new Map<number, Set<Entry>>();
  let count = 0;

  const countOf = (tenantId: number): number => entries.get(tenantId)?.size ?? 0;

  function remove(tenantId: number, entry: Entry): void {
    const own = entries.get(tenantId);
    if (!own?.delete(entry)) return;
    count -= 1;
    if (own.size === 0) entries.delete(tenantId);
  }

  /** The latest entry of the tenant with the most entries, if this tenant has fewer. */
  function displacedBy(tenantId: number): readonly [tenantId: number, entry: Entry] | undefined {
    let [largestId, most] = [tenantId, countOf(tenantId)];
    for (const [id, { size }] of entries) if (size > most) [largestId, most] = [id, size];
    const latest = [...(entries.get(largestId) ?? [])].at(-1);
    return largestId === tenantId || latest === undefined ? undefined : [largestId, latest];
  }

  return {
    countOf,
    remove,
    add(tenantId, entry) {
      const displaced = count >= most ? displacedBy(tenantId) : undefined;
      if (count >= most && !displaced) return entry;
      if (displaced) remove(...displaced);
      const own = entries.get(tenantId);
      if (own) own.add(entry);
      else entries.set(tenantId, new Set([entry]));
      count += 1;
      return displaced?.[1];
    },
    drain() {
      const all = [...entries].flatMap(([id, own]) => [...own].map((entry) => [id, entry] as const));
      entries = new Map();
      count = 0;
      return all;
    },
  };
}
