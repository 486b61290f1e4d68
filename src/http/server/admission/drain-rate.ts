/**
 * The rate at which a queue must drain so that each item leaves in time. A rate in proportion to
 * the current length would fall as the queue drains, so the last items would leave late. The rate
 * of the longest queue therefore stays in force for `longest`, or until the queue is empty.
 */
export class DrainRate {
  private rate = 0;
  private setAt = 0;

  /** @param longest the longest that an item may wait, in any unit of time */
  constructor(private readonly longest: number) {}

  /**
   * @param waiting number of items in the queue
   * @param now in the unit of `longest`
   * @returns items per unit of time
   */
  update(waiting: number, now: number): number {
    const needed = waiting / this.longest;
    if (waiting === 0 || needed >= this.rate || now - this.setAt >= this.longest) {
      this.rate = needed;
      this.setAt = now;
    }
    return this.rate;
  }
}
