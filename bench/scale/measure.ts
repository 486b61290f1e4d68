import type { ClosedLoopResult, Job } from '../load/job';
import type { LoadProcess } from '../load/load-process';
import { measureRound, type Round } from '../measure/round';
import { median } from '../measure/statistics';
import { inOrderOf } from '../measure/turns';
import { type Operation, requestsFor, type RequestSpec } from '../operations';
import type { BenchOptions } from '../options';
import type { ScaleResult } from '../results';
import { leastThroughput, mostMedian, mostPerElement } from './bounds';
import { elementsOf, type Extreme } from './extremes';
import type { Side } from './side';

const mostWarmUpSeconds = 60;

/** Measures one round of a side. */
export type MeasureRound = (
  side: Side,
  requests: readonly RequestSpec[],
  seconds: number,
  once?: boolean,
) => Promise<Round>;

export function createMeasureRound(
  load: LoadProcess<Job, ClosedLoopResult>,
  { connections }: BenchOptions,
): MeasureRound {
  return (side, requests, seconds, once = false) =>
    measureRound(
      load,
      { url: side.program.url, connections, seconds, requests, once },
      [side.program.processId],
      side.adminUrl,
    );
}

/** Compares one operation on the small and the large side in interleaved rounds. */
export async function measureOperation(
  measure: MeasureRound,
  sides: readonly Side[],
  operation: Operation,
  options: BenchOptions,
): Promise<ScaleResult['operations'][number]> {
  const turns: { side: Side; requests: Awaited<ReturnType<typeof requestsFor>>; rounds: Round[] }[] = [];
  for (const side of sides) {
    const requests = await requestsFor(operation, side.world);
    turns.push({ side, requests, rounds: [] });
    // Loads the data into memory, as on a server that has been running for a while.
    if (!operation.once) await measure(side, await requests(mostWarmUpSeconds), mostWarmUpSeconds, true);
  }
  for (let count = 0; count < options.rounds; count += 1) {
    for (const { side, requests, rounds } of inOrderOf(count, turns)) {
      const run = async (seconds: number): Promise<Round> =>
        measure(side, await requests(seconds), seconds, operation.once);
      await run(Math.min(1, options.seconds));
      rounds.push(await run(options.seconds));
    }
  }
  const [small = [], large = []] = turns.map(({ rounds }) => rounds);
  const throughput = (rounds: Round[]): number => median(rounds.map((one) => one.requestsPerSecond));
  const p50 = (rounds: Round[]): number => median(rounds.map((one) => one.p50));
  const ratios = { throughput: throughput(large) / throughput(small), p50: p50(large) / p50(small) };
  const isMet = ratios.throughput >= leastThroughput && ratios.p50 <= mostMedian;
  return { name: operation.name, title: operation.title, small, large, ratios, isMet };
}

/** Time per element of a case relative to the typical case. */
export async function measureExtreme(
  measure: MeasureRound,
  side: Side,
  { title, requests, usual }: Extreme,
  { rounds, seconds }: BenchOptions,
): Promise<ScaleResult['extremes'][number]> {
  const [times, usualTimes]: [number[], number[]] = [[], []];
  const turns = [
    { requests, into: times },
    { requests: usual, into: usualTimes },
  ];
  for (let count = 0; count < rounds; count += 1) {
    for (const turn of inOrderOf(count, turns)) {
      turn.into.push(1 / (await measure(side, turn.requests, seconds)).requestsPerSecond);
    }
  }
  const elements = await elementsOf(side.program.url, requests);
  const usualElements = await elementsOf(side.program.url, usual);
  const ratio = median(times) / elements / (median(usualTimes) / usualElements);
  return { title, elements, usualElements, ratio, isMet: ratio <= mostPerElement };
}
