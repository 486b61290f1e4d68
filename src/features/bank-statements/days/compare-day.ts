import { allBuckets, bucketsIn } from './buckets';
import { chooseDay, type ChooseDependencies } from './choose-day';
import { judgeChunk, type JudgeDependencies } from './judge-chunk';
import type { ClaimedDay } from './account-day';
import type { AccountDaysStore } from './account-days.store';

export interface CompareDependencies extends ChooseDependencies, JudgeDependencies {
  days: AccountDaysStore;
}

/** The number of lines that are judged together, unless one bucket has more. */
const linesInChunk = 1_000;
/** The number of chunks in a turn. Then another day is compared, usually of another environment. */
const chunksInTurn = 10;
const bucketsAtOnce = 128;

const inGroups = (buckets: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(buckets.length / bucketsAtOnce) }, (_, at) =>
    buckets.slice(at * bucketsAtOnce, (at + 1) * bucketsAtOnce),
  );

/** Joins buckets into chunks. Buckets without lines are in the first one. */
function chunksOf(
  working: readonly number[],
  counts: readonly { bucket: number; lines: number }[],
): number[][] {
  const withLines = new Set(counts.map(({ bucket }) => bucket));
  const chunks = [working.filter((bucket) => !withLines.has(bucket))];
  let left = linesInChunk;
  for (const { bucket, lines } of counts) {
    const chunk = chunks.at(-1);
    if (chunk && lines <= left) chunk.push(bucket);
    else [left] = [linesInChunk, chunks.push([bucket])];
    left -= lines;
  }
  return chunks.filter((chunk) => chunk.length > 0);
}

/**
 * Does a turn of the work of a day: chooses its version, queues the lines of other days that depend
 * on it, and judges its lines. Every step can be repeated, and is stored with what is left, so
 * another process continues if this one stops.
 */
export async function compareDay(
  dependencies: CompareDependencies,
  claimed: ClaimedDay,
  isStopped: () => boolean,
): Promise<void> {
  const { days, lines } = dependencies;
  let { spreading, working } = claimed;
  if (claimed.isChanged) {
    if (!(await chooseDay(dependencies, claimed))) return;
    [spreading, working] = [bucketsIn(allBuckets), bucketsIn(allBuckets)];
  }
  for (const buckets of inGroups(spreading)) {
    if (!(await days.spread(claimed, buckets))) return;
  }
  const chunks = chunksOf(working, await lines.countIn(claimed, working));
  for (const chunk of chunks.slice(0, chunksInTurn)) {
    if (isStopped()) break;
    const { outcomes, allocations } = await judgeChunk(dependencies, claimed, chunk);
    if (!(await days.putChunk(claimed, chunk, outcomes, allocations))) return;
  }
  await days.finish(claimed);
}
