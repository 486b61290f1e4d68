import { median } from './statistics';

/** The sizes to try. More connections than CPUs help while some wait for a disk. */
const triedPoolSizes: readonly number[] = [4, 8, 16, 32];

/** A program with a pool of one size. */
export interface Trial {
  /** @returns requests a second */
  sample: () => Promise<number>;
  close: () => Promise<void>;
}

/**
 * Finds the pool size with the highest throughput, so that each program runs at its best. Each size
 * is measured twice, the second time in the opposite order, so that a machine that gets faster or
 * slower favors none.
 *
 * @param given used as it is, if the user gave it
 * @param open starts the program with a size
 * @returns requests per second with each size: the median
 */
export async function bestPoolSize(
  given: number | undefined,
  open: (poolSize: number) => Promise<Trial>,
): Promise<{ best: number; tried: Record<string, number> }> {
  if (given !== undefined) return { best: given, tried: {} };
  const trials: (Trial & { size: number; samples: number[] })[] = [];
  try {
    for (const size of triedPoolSizes) trials.push({ size, samples: [], ...(await open(size)) });
    for (const trial of [...trials, ...trials.toReversed()]) trial.samples.push(await trial.sample());
  } finally {
    await Promise.all(trials.map((trial) => trial.close()));
  }
  const found = trials.map(({ size, samples }) => ({ size, rate: median(samples) }));
  const [best] = found.toSorted((one, other) => other.rate - one.rate);
  return {
    best: best?.size ?? 1,
    tried: Object.fromEntries(found.map(({ size, rate }) => [size, rate])),
  };
}
