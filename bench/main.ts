import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { compare } from './compare';
import type { Comparison } from './comparison';
import { interruption } from './interruption';
import { LoadProcess } from './load/load-process';
import { rangesOverlap, summarize } from './measure/statistics';
import { comparedOperations, type Operation } from './operations';
import { type BenchOptions, chosen, readOptions } from './options';
import { pgbenchRow } from './pgbench-row';
import { type Contestant, rivals } from './programs/contestants';
import { operationText } from './report/table';
import { type OperationResult, type ProgramResult, writeResult } from './results';
import { runMain, say } from './say';
import { isMet, type Target, targets } from './targets';
import { busyShare, describeMachine, type Machine } from './world/machine';
import { openServer } from './world/server';
import { openWorld } from './world/world';

const help = `npm run bench -- [options]

Compares the service with its rivals on one database, in interleaved rounds.`;

/** The figure of each round that a target compares. */
function valuesOf({ rounds }: ProgramResult, what: Target['what']): number[] {
  return rounds.map(({ requestsPerSecond, nodeMilliseconds }) =>
    what === 'throughput' ? requestsPerSecond : (nodeMilliseconds ?? NaN),
  );
}

function judge(operation: string, programs: readonly ProgramResult[]): OperationResult['targets'] {
  const service = programs.find(({ name }) => name === 'service');
  return targets
    .filter((target) => target.operation === operation)
    .flatMap((target) => {
      const rival = programs.find(({ name }) => name === target.rival);
      if (!service || !rival) return [];
      const { what, bound } = target;
      const [ours, theirs] = [summarize(valuesOf(service, what)), summarize(valuesOf(rival, what))];
      const ratio = ours.median / theirs.median;
      const times = { minimum: theirs.minimum * bound, maximum: theirs.maximum * bound };
      const text = `${what} ${what === 'throughput' ? '≥' : '≤'} ${bound} × ${rival.title}`;
      return [{ text, ratio, bound, isMet: isMet(target, ratio), rangesOverlap: rangesOverlap(ours, times) }];
    });
}

/** @param failures collects failures, so that earlier results are still written */
async function measure(
  comparison: Comparison,
  operation: Operation,
  against: readonly Contestant[],
  failures: unknown[],
): Promise<OperationResult | undefined> {
  const { name, title } = operation;
  const contestants = against.filter((rival) => rival.operations.includes(name));
  const pgbench = pgbenchRow(comparison, operation, (error) => failures.push(error));
  try {
    const { programs, skipped } = await compare(comparison, operation, contestants, pgbench.round);
    const judged = judge(name, programs);
    if (programs.some((program) => program.nodeMilliseconds === null)) {
      skipped.push('CPU time: available on Linux only');
    }
    const row = pgbench.result();
    if (typeof row === 'string') skipped.push(row);
    else if (row) programs.push(row);
    return { name, title, programs, targets: judged, skipped };
  } catch (error) {
    failures.push(error);
    return undefined;
  }
}

/**
 * Measures the operations one after the other and writes the results.
 *
 * @throws Error at the end if a measurement failed
 */
async function measureAll(
  comparison: Comparison,
  machine: Machine,
  operations: readonly Operation[],
  against: readonly Contestant[],
): Promise<void> {
  const results: OperationResult[] = [];
  const failures: unknown[] = [];
  for (const operation of operations) {
    const result = await measure(comparison, operation, against, failures);
    interruption.throwIfAborted();
    if (!result) continue;
    results.push(result);
    say(`\n${operationText(result)}\n`);
  }
  const { rounds, seconds, connections, scale, seed } = comparison.options;
  say(writeResult('bench', { machine, rounds, seconds, connections, scale, seed, operations: results }));
  if (failures.length > 0) {
    throw new AggregateError(
      failures,
      `some measurements failed; the log of the programs is ${comparison.logFile}`,
    );
  }
}

async function bench(options: BenchOptions): Promise<void> {
  const operations = chosen(comparedOperations, options.operations);
  const against = chosen(
    rivals,
    options.rivals?.filter((name) => name !== 'pgbench'),
  );
  const busy = await busyShare();
  const server = await openServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-bench-'));
  const closedLoop = LoadProcess.closedLoop();
  const openLoop = LoadProcess.openLoop();
  try {
    const machine = await describeMachine(server, busy);
    const { close, ...opened } = await openWorld(server, options);
    try {
      const logFile = path.join(folder, 'programs.log');
      const comparison: Comparison = { options, ...opened, logFile, closedLoop, openLoop };
      await measureAll(comparison, machine, operations, against);
      rmSync(folder, { recursive: true });
    } finally {
      await close();
    }
  } finally {
    closedLoop.stop();
    openLoop.stop();
    await server.stop();
  }
}

runMain(async () => {
  const options = readOptions(help, {
    operations: 'all',
    rivals: 'all',
    rounds: 7,
    seconds: 8,
    pool: 'the best size, from a short sweep',
    connections: 32,
    scale: 0.001,
    seed: 1,
  });
  if (options) await bench(options);
});
