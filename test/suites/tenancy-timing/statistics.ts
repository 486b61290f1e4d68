/** Sorts a copy; typed arrays sort numerically and fast. */
export function median(values: readonly number[] | Float64Array): number {
  const sorted = Float64Array.from(values).sort();
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Fisher-Yates shuffle in place. */
function shuffle(values: Float64Array): void {
  for (let last = values.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [values[last], values[other]] = [values[other]!, values[last]!];
  }
}

/**
 * The noise of one group: the difference between the medians of its random halves. 99 of 100 random
 * splits differ by no more than this.
 */
function spreadOfHalves(group: readonly number[], splits: number): number {
  const values = Float64Array.from(group);
  const half = Math.floor(values.length / 2);
  const distances: number[] = [];
  for (let split = 0; split < splits; split += 1) {
    shuffle(values);
    const [first, second] = [values.subarray(0, half), values.subarray(half)];
    distances.push(Math.abs(median(first) - median(second)));
  }
  distances.sort((a, b) => a - b);
  return distances[Math.floor(distances.length * 0.99)]!;
}

export interface Comparison {
  medianOfFirst: number;
  medianOfSecond: number;
  distance: number;
  /** The same for two random samples from both groups together, each as large as one of them. */
  spread: number;
  areDistinguishable: boolean;
}

/** Whether two alternately measured groups can be distinguished by their medians. */
export function compare(first: readonly number[], second: readonly number[], splits = 1_000): Comparison {
  const distance = Math.abs(median(first) - median(second));
  const spread = spreadOfHalves([...first, ...second], splits);
  return {
    medianOfFirst: median(first),
    medianOfSecond: median(second),
    distance,
    spread,
    areDistinguishable: distance > spread,
  };
}
