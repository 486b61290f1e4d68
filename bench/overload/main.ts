import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { OpenLoopResult } from '../load/job';
import { LoadProcess } from '../load/load-process';
import { comparedOperations, type RequestSpec, type RequestWorld } from '../operations';
import { type BenchOptions, readOptions } from '../options';
import { service } from '../programs/contestants';
import { freePort, RunningProgram } from '../programs/program';
import { number, table } from '../report/table';
import { writeResult } from '../results';
import { runMain, say } from '../say';
import { openDatabase } from '../world/database';
import { describeMachine } from '../world/machine';
import { openServer } from '../world/server';
import { createTenant } from '../world/tenant';
import { watch } from './watch';

const help = `npm run bench:overload -- [options]

Sends the service more than it can do, and sees what becomes of those that are admitted and those that are refused; then
the same load for longer, and 1 and 2 processes behind one port. BENCH_SOAK_SECONDS (default 600) is how long, 0 leaves it out.`;

const completionsPerSecond = 20;
const megabyte = 1024 * 1024;

interface Target {
  text: string;
  value: number;
  isMet: boolean;
}

function requestsOf(name: string, world: RequestWorld, count: number): Promise<RequestSpec[]> {
  const operation = comparedOperations.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  return operation.requests(world, count);
}

const answered = ({ sinceDue, seconds }: OpenLoopResult): number =>
  ((sinceDue['200']?.count ?? 0) + (sinceDue['201']?.count ?? 0)) / seconds;

async function overload(options: BenchOptions): Promise<void> {
  const { seconds, connections } = options;
  const soakSeconds = Number(process.env['BENCH_SOAK_SECONDS'] ?? 600);
  const server = await openServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-bench-'));
  const database = await openDatabase(server, options.scale, options.seed);
  const [closedLoop, openLoop, completions] = [
    LoadProcess.closedLoop(),
    LoadProcess.openLoop(),
    LoadProcess.openLoop(),
  ];
  const world: RequestWorld = {
    ownerUrl: server.url('owner', database.name),
    tenant: await createTenant(server.url('owner', database.name)),
  };
  const programs: RunningProgram[] = [];

  async function start(processes: number): Promise<{ program: RunningProgram; metricsUrl: string }> {
    const metricsPort = await freePort();
    const command = service.command({
      databaseUrl: server.url('service', database.name),
      tenant: world.tenant,
      poolSize: options.poolSize ?? 16,
      port: await freePort(),
      logFile: path.join(folder, 'service.log'),
      fixedBodies: {},
    });
    const program = await RunningProgram.start({
      ...command,
      // One process has nobody in front of it; several cannot share a port of metrics.
      script: processes === 1 ? command.script : path.join(__dirname, 'processes.js'),
      environment: {
        ...command.environment,
        BENCH_PROCESSES: String(processes),
        METRICS_PORT: processes === 1 ? String(metricsPort) : 'off',
      },
    });
    programs.push(program);
    return { program, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
  }

  try {
    const machine = await describeMachine(server);
    const reads = await requestsOf('main-user', world, 5_000);
    const peakOf = async ({ url }: RunningProgram): Promise<number> => {
      const job = { url, connections, requests: reads, once: false };
      await closedLoop.run({ ...job, seconds: Math.min(2, seconds) });
      const result = await closedLoop.run({ ...job, seconds });
      return result.answered / result.seconds;
    };
    const { program, metricsUrl } = await start(1);
    const peak = await peakOf(program);
    say(`saturated at ${number(peak)} requests a second`);

    /** Reads at a rate, and at the same time a few completions, as a bank sends them. */
    async function at(requestsPerSecond: number, forSeconds: number) {
      const both = Promise.all([
        openLoop.run({
          url: program.url,
          seconds: forSeconds,
          connections: 1_000,
          requests: reads,
          once: false,
          requestsPerSecond,
        }),
        completions.run({
          url: program.url,
          seconds: forSeconds,
          connections: 20,
          requests: await requestsOf('complete', world, Math.ceil(forSeconds * completionsPerSecond)),
          once: true,
          requestsPerSecond: completionsPerSecond,
        }),
      ]);
      const { result, watched } = await watch(program.processId, metricsUrl, both);
      return { reads: result[0], completions: result[1], watched };
    }

    const targets: Target[] = [];
    const hold = (text: string, value: number, bound: number, atLeast: boolean): void => {
      targets.push({ text, value, isMet: atLeast ? value >= bound : value <= bound });
    };
    const runs: Record<string, Awaited<ReturnType<typeof at>>> = {};
    for (const [factor, share] of [
      [1.5, 0.8],
      [3, 0.45],
    ] as const) {
      const run = (runs[`${factor}`] = await at(peak * factor, seconds));
      const title = `at ${factor} × the peak:`;
      const refused = run.reads.sinceSent['503'];
      hold(`${title} answered, of the peak ≥ ${share}`, answered(run.reads) / peak, share, true);
      hold(`${title} p99 of the admitted ≤ 250 ms`, run.reads.sinceSent['200']?.p99 ?? NaN, 250, false);
      // Where none was refused there is nothing to be late.
      hold(`${title} p99 of the refused ≤ 50 ms`, refused?.p99 ?? 0, 50, false);
      hold(`${title} refused without Retry-After = 0`, run.reads.withoutRetryAfter, 0, false);
      hold(`${title} broken = 0`, run.reads.errors, 0, false);
      const completed = (run.completions.sinceDue['200']?.count ?? 0) / run.completions.due;
      hold(`${title} completions that went through = all`, completed, 1, true);
      hold(`${title} event loop delay p99 ≤ 50 ms`, run.watched.eventLoopDelayP99 ?? NaN, 50, false);
      hold(
        `${title} resident memory ≤ 200 MB`,
        Math.max(...run.watched.residentBytes) / megabyte,
        200,
        false,
      );
    }
    if (soakSeconds > 0) {
      say(`soak of ${soakSeconds} s`);
      const run = (runs['soak'] = await at(peak * 0.7, soakSeconds));
      const memory = run.watched.residentBytes;
      const middle = (from: number, to: number): number => {
        const part = memory
          .slice(Math.floor(memory.length * from), Math.ceil(memory.length * to))
          .sort((a, b) => a - b);
        return (part[Math.floor(part.length / 2)] ?? NaN) / megabyte;
      };
      hold('soak: resident memory ≤ 200 MB', Math.max(...memory) / megabyte, 200, false);
      hold(
        'soak: memory of the last quarter ÷ the second ≤ 1.1',
        middle(0.75, 1) / middle(0.25, 0.5),
        1.1,
        false,
      );
      hold('soak: event loop delay p99 ≤ 50 ms', run.watched.eventLoopDelayP99 ?? NaN, 50, false);
    }
    await program.stop();

    const processes: Record<string, number> = {};
    for (const count of [1, 2]) {
      const several = await start(count);
      processes[count] = await peakOf(several.program);
      await several.program.stop();
    }
    say(
      table([
        ['target', 'found', ''],
        ...targets.map(({ text, value, isMet }) => [text, number(value, 2), isMet ? 'met' : 'NOT MET']),
      ]),
    );
    say(
      `requests a second with 1 and 2 processes: ${number(processes[1])}, ${number(processes[2])}, on ${machine.processors}`,
    );
    say(writeResult('bench-overload', { machine, options, peak, targets, runs, processes }));
  } finally {
    for (const load of [closedLoop, openLoop, completions]) load.stop();
    for (const program of programs) await program.stop();
    await database.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

runMain(async () => {
  const options = readOptions(help, { seconds: 20 });
  if (options) await overload(options);
});
