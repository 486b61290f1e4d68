/** A list of durations without an object for each. */
export class Times {
  private values = new Float64Array(65_536);
  private count = 0;

  note(milliseconds: number): void {
    if (this.count === this.values.length) {
      const larger = new Float64Array(2 * this.count);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count] = milliseconds;
    this.count += 1;
  }

  /** In milliseconds. */
  all(): Float64Array {
    return this.values.subarray(0, this.count);
  }
}
