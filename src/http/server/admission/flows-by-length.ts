/**
 * Flows by their number of waiting requests. `longest` takes amortized constant time. A flow grows
 * by one request at a time, so the search skips each length at most once for each request.
 */
export class FlowsByLength<F extends { readonly waiting: { readonly size: number } }> {
  private readonly byLength: Set<F>[] = [];
  private readonly lengths = new Map<F, number>();
  private greatest = 0;

  /** Call this whenever the number of waiting requests has changed. */
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

  /** @returns a flow with the most waiting requests; undefined if no request waits */
  longest(): F | undefined {
    for (; this.greatest > 0; this.greatest -= 1) {
      const [flow] = this.byLength[this.greatest] ?? [];
      if (flow) return flow;
    }
    return undefined;
  }
}
