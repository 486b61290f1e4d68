import type { Latencies } from '../load/job';

export interface Summary {
  median: number;
  minimum: number;
  maximum: number;
}

function sorted(values: ArrayLike<number>): Float64Array {
  return Float64Array.from(values).sort();
}

/** The quantile by nearest rank, such as the 99th percentile for a share of 0.99. */
function quantile(ascending: Float64Array, share: number): number {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? NaN;
}

export function median(values: readonly number[]): number {
  const ascending = sorted(values);
  const middle = ascending.length / 2;
  return ((ascending[Math.ceil(middle) - 1] ?? NaN) + (ascending[Math.floor(middle)] ?? NaN)) / 2;
}

/**
 * The median with an interval that contains the true median with a probability of at least 95 %,
 * whatever the distribution is. It needs six values at least.
 */
export function medianWithin(values: readonly number[]): Summary {
  const ascending = sorted(values);
  const count = ascending.length;
  // The rank of the lower end: below it are at most 2.5 % of the outcomes of `count` coin tosses.
  let [rank, outcomes, below] = [0, 1, 1];
  while (below / 2 ** count <= 0.025) {
    rank += 1;
    outcomes = (outcomes * (count - rank + 1)) / rank;
    below += outcomes;
  }
  if (rank === 0) throw new Error(`${count} values are too few for an interval`);
  return {
    median: median(values),
    minimum: ascending[rank - 1] ?? NaN,
    maximum: ascending[count - rank] ?? NaN,
  };
}

/** The median of the rounds, and their range. */
export function summarize(values: readonly number[]): Summary {
  return { median: median(values), minimum: Math.min(...values), maximum: Math.max(...values) };
}

/** Whether two ranges overlap. */
export const rangesOverlap = (
  one: Pick<Summary, 'minimum' | 'maximum'>,
  other: Pick<Summary, 'minimum' | 'maximum'>,
): boolean => one.minimum <= other.maximum && other.minimum <= one.maximum;

/** @param values milliseconds */
export function quantiles(values: ArrayLike<number>): Latencies {
  const ascending = sorted(values);
  return {
    count: ascending.length,
    p50: quantile(ascending, 0.5),
    p90: quantile(ascending, 0.9),
    p99: quantile(ascending, 0.99),
    p999: quantile(ascending, 0.999),
    max: quantile(ascending, 1),
  };
}
