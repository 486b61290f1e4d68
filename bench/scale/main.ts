import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { LoadProcess } from '../load/load-process';
import { comparedOperations, furtherOperations } from '../operations';
import { type BenchOptions, chosen, readOptions, usualPoolSize } from '../options';
import { number, table } from '../report/table';
import { type ScaleResult, writeResult } from '../results';
import { runMain, say } from '../say';
import { busyShare, describeMachine } from '../world/machine';
import { openServer } from '../world/server';
import { leastThroughput, mostMedian, mostPerElement, smallScale } from './bounds';
import { extremesOf } from './extremes';
import { createMeasureRound, measureExtreme, measureOperation } from './measure';
import { openSide, type Side } from './side';

const help = `npm run bench:scale -- [options]

Compares the service on a large database (--scale) with one of scale ${smallScale}, in interleaved rounds.
Then measures, on the large database, the cases whose cost must stay bounded.`;

async function scale(options: BenchOptions): Promise<void> {
  if (options.scale <= smallScale)
    throw new Error(`--scale must be greater than ${smallScale}, the scale of the comparison`);
  const chosenOperations = chosen([...comparedOperations, ...furtherOperations], options.operations);
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
    const measure = createMeasureRound(load, options);
    const operations: ScaleResult['operations'] = [];
    for (const operation of chosenOperations) {
      const result = await measureOperation(measure, sides, operation, options);
      operations.push(result);
      const { throughput, p50 } = result.ratios;
      say(`${operation.name}: throughput ${number(throughput, 2)}, p50 ${number(p50, 2)}`);
    }
    const extremes: ScaleResult['extremes'] = [];
    const [, large] = sides;
    if (large) {
      for (const extreme of await extremesOf(large.world))
        extremes.push(await measureExtreme(measure, large, extreme, options));
    }
    sayTables(options.scale, operations, extremes);
    say(writeResult('bench-scale', { machine, options, operations, extremes }));
  } finally {
    load.stop();
    for (const side of sides) await side.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

function sayTables(
  scale: number,
  operations: ScaleResult['operations'],
  extremes: ScaleResult['extremes'],
): void {
  const met = (isMet: boolean): string => (isMet ? 'met' : 'NOT MET');
  const bounds = `≥ ${leastThroughput}, ≤ ${mostMedian}`;
  say(
    table([
      [`scale ${scale} ÷ ${smallScale}`, 'throughput', 'p50', bounds],
      ...operations.map(({ title, ratios, isMet }) => [
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
