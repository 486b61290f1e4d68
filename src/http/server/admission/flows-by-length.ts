/**
 * Flows by their number of waiting requests. Finding the longest takes constant time, amortized: a
 * flow grows by one request at a time, and the search goes down only over lengths that flows have
 * left.
 */
export class FlowsByLength<F extends { readonly waiting: { readonly size: number } }> {
  private readonly byLength: Set<F>[] = [];
  private readonly lengths = new Map<F, number>();
  private greatest = 0;

  /** Takes note of the number of waiting requests. Call this whenever it has changed. */
  update(flow: F): void {
    const { size } = flow.waiting;
    const before = this.lengths.get(flow);
    if (before !== undefined) this.byLength[before]?.delete(flow);
    if (size === 0) {
      this.lengths.delete(flow);
      return;
    }
    this.lengths.set(flow, size);
    (this.byLength[size] ??= new Set()).add(flow);
    this.greatest = Math.max(this.greatest, size);
  }

  /** @returns a flow with the most waiting requests; undefined if none waits */
  longest(): F | undefined {
    for (; this.greatest > 0; this.greatest -= 1) {
      const [flow] = this.byLength[this.greatest] ?? [];
      if (flow) return flow;
    }
    return undefined;
  }
}
