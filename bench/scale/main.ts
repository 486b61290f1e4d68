import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { LoadProcess } from '../load/load-process';
import { measureRound, type Round } from '../measure/round';
import { median } from '../measure/statistics';
import { inOrderOf } from '../measure/turns';
import {
  comparedOperations,
  furtherOperations,
  type Operation,
  requestsFor,
  type RequestSpec,
} from '../operations';
import { type BenchOptions, chosen, readOptions, usualPoolSize } from '../options';
import { number, table } from '../report/table';
import { type ScaleResult, writeResult } from '../results';
import { runMain, say } from '../say';
import { busyShare, describeMachine } from '../world/machine';
import { openServer } from '../world/server';
import { leastThroughput, mostMedian, mostPerElement, smallScale } from './bounds';
import { elementsOf, type Extreme, extremesOf } from './extremes';
import { openSide, type Side } from './side';

const help = `npm run bench:scale -- [options]

Compares the service on a large database (--scale) with one of scale ${smallScale}, in interleaved rounds.
Then measures the cases whose cost must stay bounded on the large one.`;

const mostWarmUpSeconds = 60;

async function scale(options: BenchOptions): Promise<void> {
  if (options.scale <= smallScale)
    throw new Error(`--scale must be greater than ${smallScale}, the scale of the comparison`);
  const operations = chosen([...comparedOperations, ...furtherOperations], options.operations);
  const busy = await busyShare();
  const server = await openServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-bench-'));
  const load = LoadProcess.closedLoop();
  const sides: Side[] = [];
  try {
    const machine = await describeMachine(server, busy);
    for (const size of [smallScale, options.scale]) {
      sides.push(await openSide(server, size, options, path.join(folder, 'service.log')));
    }
    const round = (
      side: Side,
      requests: readonly RequestSpec[],
      seconds: number,
      once = false,
    ): Promise<Round> =>
      measureRound(
        load,
        { url: side.program.url, connections: options.connections, seconds, requests, once },
        [side.program.processId],
        side.adminUrl,
      );

    /** Measures one operation on both scales in interleaved rounds. */
    async function byTurns(operation: Operation): Promise<Round[][]> {
      const turns = [];
      for (const side of sides) {
        const requests = await requestsFor(operation, side.world);
        turns.push({ side, requests, rounds: [] as Round[] });
        // Loads the data into memory, as on a server that has been running for a while.
        if (operation.once) continue;
        await round(side, await requests(mostWarmUpSeconds), mostWarmUpSeconds, true);
      }
      for (let count = 0; count < options.rounds; count += 1) {
        for (const { side, requests, rounds } of inOrderOf(count, turns)) {
          const run = async (seconds: number): Promise<Round> =>
            round(side, await requests(seconds), seconds, operation.once);
          await run(Math.min(1, options.seconds));
          rounds.push(await run(options.seconds));
        }
      }
      return turns.map(({ rounds }) => rounds);
    }

    /** Time per element of a case relative to the typical case, on the large scale. */
    async function measureExtreme(side: Side, { title, requests, usual }: Extreme) {
      const [times, usualTimes]: [number[], number[]] = [[], []];
      const turns = [
        { requests, into: times },
        { requests: usual, into: usualTimes },
      ];
      for (let count = 0; count < options.rounds; count += 1) {
        for (const turn of inOrderOf(count, turns)) {
          turn.into.push(1 / (await round(side, turn.requests, options.seconds)).requestsPerSecond);
        }
      }
      const elements = await elementsOf(side.program.url, requests);
      const usualElements = await elementsOf(side.program.url, usual);
      const ratio = median(times) / elements / (median(usualTimes) / usualElements);
      return { title, elements, usualElements, ratio, isMet: ratio <= mostPerElement };
    }

    const results = [];
    for (const operation of operations) {
      const [small = [], large = []] = await byTurns(operation);
      const throughput = (rounds: Round[]): number => median(rounds.map((one) => one.requestsPerSecond));
      const p50 = (rounds: Round[]): number => median(rounds.map((one) => one.p50));
      const ratios = { throughput: throughput(large) / throughput(small), p50: p50(large) / p50(small) };
      const isMet = ratios.throughput >= leastThroughput && ratios.p50 <= mostMedian;
      results.push({ name: operation.name, title: operation.title, small, large, ratios, isMet });
      say(`${operation.name}: throughput ${number(ratios.throughput, 2)}, p50 ${number(ratios.p50, 2)}`);
    }

    const extremes: ScaleResult['extremes'] = [];
    const [, large] = sides;
    if (large) {
      for (const extreme of await extremesOf(large.world))
        extremes.push(await measureExtreme(large, extreme));
    }

    const met = (isMet: boolean): string => (isMet ? 'met' : 'NOT MET');
    say(
      table([
        [
          `scale ${options.scale} ÷ ${smallScale}`,
          'throughput',
          'p50',
          `≥ ${leastThroughput}, ≤ ${mostMedian}`,
        ],
        ...results.map(({ title, ratios, isMet }) => [
          title,
          number(ratios.throughput, 2),
          number(ratios.p50, 2),
          met(isMet),
        ]),
      ]),
    );
    say(
      table([
        ['time per element, relative to a typical case', 'elements', 'ratio', `≤ ${mostPerElement}`],
        ...extremes.map(({ title, elements, ratio, isMet }) => [
          title,
          number(elements),
          number(ratio, 2),
          met(isMet),
        ]),
      ]),
    );
    say(writeResult('bench-scale', { machine, options, operations: results, extremes }));
  } finally {
    load.stop();
    for (const side of sides) await side.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

runMain(async () => {
  const options = readOptions(help, {
    operations: 'all',
    rounds: 5,
    seconds: 5,
    pool: usualPoolSize,
    connections: 32,
    scale: 1,
    seed: 1,
  });
  if (options) await scale(options);
});
