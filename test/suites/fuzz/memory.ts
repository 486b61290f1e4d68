import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Resident memory of this process after a garbage collection, in bytes. */
export function ownResidentBytes(): Promise<number> {
  collect();
  return Promise.resolve(process.memoryUsage().rss);
}

/** The warm-up share of a run, in which caches fill and code is compiled. */
const warmUpShare = 0.2;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Memory growth after the warm-up, in bytes: the median of the last fifth of the samples minus the
 * median of the fifth after the warm-up. Medians ignore single outliers.
 */
export function growthBytes(samples: readonly number[]): number {
  const warm = samples.slice(Math.floor(samples.length * warmUpShare));
  const fifth = Math.max(1, Math.floor(warm.length / 5));
  return median(warm.slice(-fifth)) - median(warm.slice(0, fifth));
}
