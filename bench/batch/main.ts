import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { OpenLoopResult } from '../load/job';
import { LoadProcess } from '../load/load-process';
import { median } from '../measure/statistics';
import { addPending, base, type RequestWorld } from '../operations';
import { readOptions, usualPoolSize } from '../options';
import { requestsOf } from '../overload/cast';
import { service } from '../programs/contestants';
import { freePort, RunningProgram } from '../programs/program';
import { type Figure, figure, reportFigures } from '../results';
import { runMain } from '../say';
import { busyShare, describeMachine } from '../world/machine';
import { openServer } from '../world/server';
import { createTenant } from '../world/tenant';
import { openWorld } from '../world/world';

const help = `npm run bench -- batch [options]

Sends files of 10,000 completions: alone, and beside 20 single completions per second of another company.`;

const linesOfFile = 10_000;
const files = 5;
const singlePerSecond = 20;
const leastLinesPerSecond = 3_000;
const mostSingleP99 = 100;

interface Summary {
  summary?: { completed: number };
}

/** A file of pending contributions. */
async function fileOf(world: RequestWorld): Promise<string> {
  const ids = await addPending(world, linesOfFile);
  const line = (id: string): string =>
    `${JSON.stringify({ transaction_id: id, amount: '10.00', bank_reference: `FT-${id}` })}\n`;
  return ids.map(line).join('');
}

/** @returns completions per second */
async function send(url: string, { tenant }: RequestWorld, file: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${url}${base}/contributions/completions`, {
    method: 'POST',
    headers: { ...tenant.headers, 'Content-Type': 'application/x-ndjson' },
    body: file,
  });
  const lines = (await response.text()).trimEnd().split('\n');
  const { summary } = JSON.parse(lines.at(-1) ?? '{}') as Summary;
  if (!summary) throw new Error(`status ${response.status} without a summary`);
  return (summary.completed * 1_000) / (performance.now() - startedAt);
}

async function sendAll(url: string, world: RequestWorld, all: readonly string[]): Promise<number[]> {
  const rates: number[] = [];
  for (const file of all) rates.push(await send(url, world, file));
  return rates;
}

const fileSet = async (world: RequestWorld): Promise<string[]> => {
  const all: string[] = [];
  while (all.length < files) all.push(await fileOf(world));
  return all;
};

function figuresOf(alone: readonly number[], beside: readonly number[], singles: OpenLoopResult): Figure[] {
  const { count = 0, p50 = NaN, p99 = NaN } = singles.sinceDue['200'] ?? {};
  const single = `a single completion at ${singlePerSecond}/s beside files`;
  return [
    figure('lines per second alone', median([...alone]), '≥', leastLinesPerSecond),
    figure(
      `lines per second beside ${singlePerSecond} single completions/s`,
      median([...beside]),
      '≥',
      -Infinity,
    ),
    figure('single completions that failed', singles.due - count, '≤', 0),
    figure(`ms of ${single}, p50`, p50, '≤', mostSingleP99),
    figure(`ms of ${single}, p99`, p99, '≤', mostSingleP99),
  ];
}

runMain(async () => {
  const options = readOptions(help, {
    seconds: 20,
    pool: usualPoolSize,
    connections: 32,
    shapes: '',
    short: 'no',
    scale: 0.001,
    seed: 1,
  });
  if (!options) return;
  const busy = await busyShare();
  const server = await openServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-bench-'));
  const openLoop = LoadProcess.openLoop();
  try {
    const machine = await describeMachine(server, busy);
    const { world, serviceUrl, close } = await openWorld(server, options);
    const single: RequestWorld = { ownerUrl: world.ownerUrl, tenant: await createTenant(world.ownerUrl, 2) };
    const command = service.command({
      databaseUrl: serviceUrl,
      tenant: world.tenant,
      poolSize: options.poolSize ?? usualPoolSize,
      port: await freePort(),
      logFile: path.join(folder, 'service.log'),
      fixedBodies: {},
    });
    const program = await RunningProgram.start(command);
    try {
      const { url } = program;
      await sendAll(url, world, await fileSet(world));
      const alone = await sendAll(url, world, await fileSet(world));
      const { seconds } = options;
      const requests = await requestsOf('complete', single, seconds * singlePerSecond);
      const more = await fileSet(world);
      const singles = openLoop.run({
        url,
        seconds,
        connections: 20,
        requests,
        once: true,
        requestsPerSecond: singlePerSecond,
      });
      const beside: number[] = [];
      const state = { isRunning: true };
      void singles.finally(() => (state.isRunning = false));
      for (let next = 0; state.isRunning; next += 1) {
        beside.push(await send(url, world, more[next] ?? (await fileOf(world))));
      }
      const figures = figuresOf(alone, beside, await singles);
      if (!reportFigures('batch', { machine, seconds, figures })) process.exitCode = 1;
    } finally {
      await program.stop();
      await close();
    }
  } finally {
    openLoop.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});
