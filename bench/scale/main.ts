import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { LoadProcess } from '../load/load-process';
import { measureRound, type Round } from '../measure/round';
import { median } from '../measure/statistics';
import { comparedOperations, furtherOperations, type Operation, type RequestSpec } from '../operations';
import { type BenchOptions, chosen, readOptions } from '../options';
import { number, table } from '../report/table';
import { writeResult } from '../results';
import { runMain, say } from '../say';
import { describeMachine } from '../world/machine';
import { openServer } from '../world/server';
import { elementsOf, extremesOf } from './extremes';
import { openSide, type Side } from './side';

const help = `npm run bench:scale -- [options]

Measures the service on a large database (--scale, by default 1) against one of a thousandth of it, in turns, and then the
cases that must stay bounded on the large one.`;

const smallScale = 0.001;
const leastThroughput = 0.85;
const mostMedian = 1.2;
const mostPerElement = 3;
const mostPerSecond = 4_000;
const mostWarmUpSeconds = 60;

async function scale(options: BenchOptions): Promise<void> {
  const operations = chosen([...comparedOperations, ...furtherOperations], options.operations);
  const server = await openServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-bench-'));
  const load = LoadProcess.closedLoop();
  const sides: Side[] = [];
  try {
    const machine = await describeMachine(server);
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

    /** The rounds of one operation on each side, by turns. */
    async function byTurns(operation: Operation): Promise<[Round[], Round[]]> {
      const rounds: [Round[], Round[]] = [[], []];
      const prepared: RequestSpec[][] = [];
      for (const side of sides) {
        const requests = operation.once ? [] : await operation.requests(side.world, 5_000);
        prepared.push(requests);
        // What is measured later is in memory then, as on a server that has been running for a while.
        if (requests.length > 0) await round(side, requests, mostWarmUpSeconds, true);
      }
      for (let count = 0; count < options.rounds; count += 1) {
        for (const turn of [count % 2, (count + 1) % 2] as const) {
          const side = sides[turn];
          if (!side) continue;
          const requests = async (seconds: number): Promise<readonly RequestSpec[]> =>
            operation.once
              ? operation.requests(side.world, Math.ceil(seconds * mostPerSecond))
              : (prepared[turn] ?? []);
          await round(side, await requests(1), Math.min(1, options.seconds), operation.once);
          rounds[turn as 0 | 1].push(
            await round(side, await requests(options.seconds), options.seconds, operation.once),
          );
        }
      }
      return rounds;
    }

    const results = [];
    for (const operation of operations) {
      const [small, large] = await byTurns(operation);
      const throughput = (rounds: Round[]): number => median(rounds.map((one) => one.requestsPerSecond));
      const p50 = (rounds: Round[]): number => median(rounds.map((one) => one.p50));
      const ratios = { throughput: throughput(large) / throughput(small), p50: p50(large) / p50(small) };
      const isMet = ratios.throughput >= leastThroughput && ratios.p50 <= mostMedian;
      results.push({ name: operation.name, title: operation.title, small, large, ratios, isMet });
      say(`${operation.name}: throughput ${number(ratios.throughput, 2)}, p50 ${number(ratios.p50, 2)}`);
    }

    const extremes = [];
    const [, large] = sides;
    for (const extreme of large ? await extremesOf(large.world) : []) {
      if (!large) continue;
      const times: [number[], number[]] = [[], []];
      for (let count = 0; count < options.rounds; count += 1) {
        times[0].push(1 / (await round(large, extreme.requests, options.seconds)).requestsPerSecond);
        times[1].push(1 / (await round(large, extreme.usual, options.seconds)).requestsPerSecond);
      }
      const elements = await elementsOf(large.program.url, extreme.requests);
      const usualElements = await elementsOf(large.program.url, extreme.usual);
      const ratio = median(times[0]) / elements / (median(times[1]) / usualElements);
      extremes.push({ title: extreme.title, elements, usualElements, ratio, isMet: ratio <= mostPerElement });
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
        ['time for each element, against the usual', 'elements', 'ratio', `≤ ${mostPerElement}`],
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
  const options = readOptions(help, { scale: 1, rounds: 5, seconds: 5 });
  if (options) await scale(options);
});
