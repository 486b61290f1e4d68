import { median } from './statistics';

/** What is tried. More connections than processors help while some of them wait for a disk. */
export const triedPoolSizes: readonly number[] = [4, 8, 16, 32];

/** Something with a pool of one size. */
export interface Trial {
  /** @returns requests a second */
  sample: () => Promise<number>;
  close: () => Promise<void>;
}

/**
 * The size of the pool with which a program answers most, so that each is shown at its best. Each
 * size is measured twice, the second time in the opposite order, so that a machine that gets slower
 * or faster meanwhile prefers none.
 *
 * @param given taken as it is, where the user says it
 * @param open ready to be measured, with a size
 * @returns requests a second with each size: the median
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
