import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { compare, type Comparison } from './compare';
import { LoadProcess } from './load/load-process';
import { bestPoolSize } from './measure/pool-size';
import { findPgbench, runPgbench } from './measure/pgbench';
import { summarize } from './measure/statistics';
import { comparedOperations, type Operation } from './operations';
import { type BenchOptions, chosen, readOptions } from './options';
import { rivals } from './programs/contestants';
import { operationText } from './report/table';
import { type OperationResult, type ProgramResult, writeResult } from './results';
import { runMain, say } from './say';
import { isMet, targets } from './targets';
import { openDatabase } from './world/database';
import { describeMachine } from './world/machine';
import { openServer } from './world/server';
import { createTenant } from './world/tenant';

const help = `npm run bench -- [options]

Measures the service against its rivals on one database, in turns.`;

/** pgbench as one more row, where the operation writes. */
async function preparePgbench(
  { options, serviceUrl, world }: Comparison,
  { name }: Operation,
): Promise<{ round: () => Promise<void>; result: () => ProgramResult } | string | undefined> {
  const isAsked = options.rivals === undefined || options.rivals.includes('pgbench');
  if (!isAsked || (name !== 'create' && name !== 'complete')) return undefined;
  const pgbench = await findPgbench();
  if (pgbench === undefined) return '(e) pgbench is not installed (Debian: postgresql-15 or newer)';
  const run = (connections: number, seconds: number): Promise<number> =>
    runPgbench(pgbench, serviceUrl, world, name, { connections, seconds, count: Math.ceil(seconds * 8_000) });
  const { best, tried } = await bestPoolSize(options.poolSize, (size) =>
    run(size, Math.ceil(Math.min(2, options.seconds))),
  );
  const rates: number[] = [];
  const unknown = { median: NaN, minimum: NaN, maximum: NaN };
  return {
    async round() {
      rates.push(await run(best, Math.ceil(options.seconds)));
    },
    result: () => ({
      name: 'pgbench',
      title: '(e) pgbench, no HTTP',
      poolSize: best,
      triedPoolSizes: tried,
      rounds: [],
      requestsPerSecond: summarize(rates),
      p50: unknown,
      nodeMilliseconds: null,
      postgresMilliseconds: null,
    }),
  };
}

function judge(operation: string, programs: readonly ProgramResult[]): OperationResult['targets'] {
  const service = programs.find(({ name }) => name === 'service');
  return targets
    .filter((target) => target.operation === operation)
    .flatMap((target) => {
      const rival = programs.find(({ name }) => name === target.rival);
      if (!service || !rival) return [];
      const read = ({ requestsPerSecond, nodeMilliseconds }: ProgramResult): number =>
        target.what === 'throughput' ? requestsPerSecond.median : (nodeMilliseconds ?? NaN);
      const ratio = read(service) / read(rival);
      const sign = target.what === 'throughput' ? '≥' : '≤';
      const text = `${target.what} ${sign} ${target.bound} × ${rival.title}`;
      return [{ text, ratio, bound: target.bound, isMet: isMet(target, ratio) }];
    });
}

async function bench(options: BenchOptions): Promise<void> {
  const operations = chosen(comparedOperations, options.operations);
  const against = chosen(
    rivals,
    options.rivals?.filter((name) => name !== 'pgbench'),
  );
  const server = await openServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-bench-'));
  const closedLoop = LoadProcess.closedLoop();
  const openLoop = LoadProcess.openLoop();
  const database = await openDatabase(server, options.scale, options.seed);
  try {
    const machine = await describeMachine(server);
    if (machine.load > 0.5)
      say(`Something else is running (load ${machine.load.toFixed(1)}): the figures mean little.`);
    const ownerUrl = server.url('owner', database.name);
    const comparison: Comparison = {
      options,
      world: { ownerUrl, tenant: await createTenant(ownerUrl) },
      serviceUrl: server.url('service', database.name),
      adminUrl: server.url('superuser', database.name),
      logFile: path.join(folder, 'programs.log'),
      closedLoop,
      openLoop,
    };
    const results: OperationResult[] = [];
    const failures: unknown[] = [];
    for (const operation of operations) {
      const contestants = against.filter((rival) => rival.operations.includes(operation.name));
      const pgbench = await preparePgbench(comparison, operation);
      const programs = await compare(comparison, operation, contestants, async () => {
        if (typeof pgbench === 'object') await pgbench.round();
      }).catch((error: unknown) => {
        // What was measured before is worth keeping; the run fails at its end.
        failures.push(error);
        return undefined;
      });
      if (!programs) continue;
      const { name, title } = operation;
      const result: OperationResult = { name, title, programs, targets: judge(name, programs), skipped: [] };
      if (programs.some((program) => program.nodeMilliseconds === null)) {
        result.skipped.push('processor time: only Linux tells that of other processes');
      }
      if (typeof pgbench === 'object') programs.push(pgbench.result());
      else if (pgbench !== undefined) result.skipped.push(pgbench);
      results.push(result);
      say(`\n${operationText(result)}\n`);
    }
    const { rounds, seconds, connections, scale, seed } = options;
    say(writeResult('bench', { machine, rounds, seconds, connections, scale, seed, operations: results }));
    if (failures.length > 0) {
      throw new AggregateError(failures, `not all was measured; the programs' log is in ${folder}`);
    }
    rmSync(folder, { recursive: true });
  } finally {
    closedLoop.stop();
    openLoop.stop();
    await database.close();
    await server.stop();
  }
}

runMain(async () => {
  const options = readOptions(help);
  if (options) await bench(options);
});
