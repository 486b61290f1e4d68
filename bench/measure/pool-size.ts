import { setTimeout as delay } from 'node:timers/promises';

/** What is tried. More connections than processors help while some of them wait for a disk. */
export const triedPoolSizes: readonly number[] = [4, 8, 16, 32];

/**
 * The size of the pool with which a program answers most, so that each is shown at its best.
 *
 * @param given taken as it is, where the user says it
 * @param throughput requests a second of the program with a size
 */
export async function bestPoolSize(
  given: number | undefined,
  throughput: (poolSize: number) => Promise<number>,
): Promise<{ best: number; tried: Record<string, number> }> {
  if (given !== undefined) return { best: given, tried: {} };
  const tried: Record<string, number> = {};
  let best = triedPoolSizes[0] ?? 1;
  for (const size of triedPoolSizes) {
    tried[size] = await throughput(size);
    if (tried[size] > (tried[best] ?? 0)) best = size;
    await delay(200);
  }
  return { best, tried };
}
