import { setImmediate as otherRequests } from 'node:timers/promises';

import { allBuckets, bucketsIn } from './buckets';
import { chooseDay, type ChooseDependencies } from './choose-day';
import { VersionsTooLarge } from './choose-in-thread';
import { judgeChunk, type JudgeDependencies, readBasis, rememberNear } from './judge-chunk';
import type { ClaimedDay } from './account-day';
import type { AccountDaysStore } from './account-days.store';
import type { BucketCount } from './day-lines.store';

export interface CompareDependencies extends ChooseDependencies, JudgeDependencies {
  days: AccountDaysStore;
}

/**
 * The number of lines that are judged together, unless one bucket has more. With 1,000, requests of
 * others waited up to 170 ms.
 */
const linesInChunk = 250;
/**
 * A bucket is judged at once, so it must be small. It has more lines only if 100 statements of a
 * day repeat equal lines, or if somebody has chosen lines for it. Stored outcomes do not count, so
 * that a day can be compared once files are voided.
 */
const mostLinesInBucket = 2_500;
/** The number of chunks in a turn. Then another day is compared, usually of another environment. */
const chunksInTurn = 40;
/** A third of the time of a claim. */
const extendMs = 10_000;
/** The number of lines whose dependent lines one query finds. */
const linesToSpread = 5_000;

/** Extends the claim until `work` ends: the versions of a day can have many lines. */
async function whileClaimed<Result>(
  days: Pick<AccountDaysStore, 'extend'>,
  claimed: ClaimedDay,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setInterval(() => {
    // The next attempt may succeed. If none does, another process claims the day.
    days.extend(claimed).catch(() => undefined);
  }, extendMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Joins buckets into chunks. Buckets without lines are in the first one. */
function chunksOf(
  buckets: readonly number[],
  counts: ReadonlyMap<number, BucketCount>,
  most: number,
): number[][] {
  const chunks = [buckets.filter((bucket) => !counts.has(bucket))];
  let left = most;
  for (const bucket of buckets) {
    const { lines: ofNow = 0, outcomes = 0 } = counts.get(bucket) ?? {};
    const lines = Math.max(ofNow, outcomes);
    const chunk = chunks.at(-1);
    if (lines === 0) continue;
    if (chunk && lines <= left) chunk.push(bucket);
    else [left] = [most, chunks.push([bucket])];
    left -= lines;
  }
  return chunks.filter((chunk) => chunk.length > 0);
}

/**
 * Does a turn of the work of a day: chooses its version, queues the lines of other days that depend
 * on it, and judges its lines. Each step stores its result together with the work that is left, so
 * another process can continue.
 *
 * @throws VersionsTooLarge
 */
export async function compareDay(
  dependencies: CompareDependencies,
  claimed: ClaimedDay,
  isStopped: () => boolean,
): Promise<void> {
  const { days, lines } = dependencies;
  let { spreading, working } = claimed;
  if (claimed.isChanged) {
    if (!(await whileClaimed(days, claimed, () => chooseDay(dependencies, claimed)))) return;
    [spreading, working] = [bucketsIn(allBuckets), bucketsIn(allBuckets)];
  }
  const counts = await lines.countIn(claimed, [...new Set([...spreading, ...working])]);
  if ([...counts.values()].some(({ lines: count }) => count > mostLinesInBucket))
    throw new VersionsTooLarge('the statements of a day repeat too many equal lines');
  for (const buckets of chunksOf(spreading, counts, linesToSpread)) {
    if (!(await days.spread(claimed, buckets))) return;
  }
  // While a chunk is stored, the next one is judged.
  let storing = Promise.resolve(true);
  const basis = await readBasis(dependencies, claimed);
  const near = rememberNear(dependencies, claimed);
  for (const chunk of chunksOf(working, counts, linesInChunk).slice(0, chunksInTurn)) {
    const { outcomes, allocations } = await judgeChunk(dependencies, claimed, chunk, basis, near);
    await otherRequests();
    if (!(await storing)) return;
    if (isStopped()) break;
    storing = days.putChunk(claimed, chunk, outcomes, allocations);
    // A failure is thrown at the next await. Until then, it must not end the process.
    storing.catch(() => undefined);
  }
  if (await storing) await days.finish(claimed);
}
