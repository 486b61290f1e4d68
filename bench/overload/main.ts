import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { ClosedLoopResult, Job, OpenLoopJob, OpenLoopResult } from '../load/job';
import { LoadProcess } from '../load/load-process';
import { median } from '../measure/statistics';
import type { RequestSpec, RequestWorld } from '../operations';
import { type BenchOptions, readOptions, usualPoolSize } from '../options';
import { service } from '../programs/contestants';
import { freePort, RunningProgram } from '../programs/program';
import { overloadText } from '../report/table';
import { type OverloadResult, type OverloadRun, writeResult } from '../results';
import { runMain, say } from '../say';
import { busyShare, describeMachine } from '../world/machine';
import { openServer } from '../world/server';
import { openWorld } from '../world/world';
import { createCast, requestsOf } from './cast';
import { judgeHostile } from './figures';
import { playHostile } from './hostile';
import { createsPerSecond } from './speed';
import { watch } from './watch';

const help = `npm run bench:overload -- [options]

hostile: floods the service with requests of strangers and partners, and sends bursts. Meanwhile, a bank completes and a partner creates.
reads: sends reads at 1.5 and 3 times the peak rate, then at 0.7 times for BENCH_SOAK_SECONDS (default 600; 0 skips this step). Then
compares one process with two.`;

const completionsPerSecond = 20;
const megabyte = 1024 * 1024;

/** Minimum share of the peak throughput at each multiple of the peak rate. */
const loads = [
  { factor: 1.5, leastSucceeded: 0.75 },
  { factor: 3, leastSucceeded: 0.5 },
];
const soakFactor = 0.7;
const warmUpFactor = 2;
const warmUpSeconds = 6;

/** The environment of all measurements. */
interface Bench {
  options: BenchOptions;
  serviceUrl: string;
  world: RequestWorld;
  reads: readonly RequestSpec[];
  logFile: string;
  closedLoop: LoadProcess<Job, ClosedLoopResult>;
  openLoop: LoadProcess<OpenLoopJob, OpenLoopResult>;
  completions: LoadProcess<OpenLoopJob, OpenLoopResult>;
}

type Target = OverloadResult['targets'][number];

const hold = (text: string, value: number, comparison: '≤' | '≥', bound: number): Target => ({
  text,
  value,
  isMet: comparison === '≥' ? value >= bound : value <= bound,
});

/** The number of successful reads. */
const succeeded = ({ sinceDue }: OpenLoopResult): number => sinceDue['200']?.count ?? 0;

/** The number of reads with an unexpected status or without a response. */
const broken = ({ sinceDue, errors }: OpenLoopResult): number =>
  Object.entries(sinceDue).reduce(
    (sum, [status, { count }]) => sum + (status === '200' || status === '503' ? 0 : count),
    errors,
  );

async function start(
  { options, serviceUrl, world, logFile }: Bench,
  processes: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ program: RunningProgram; metricsUrl: string }> {
  const metricsPort = await freePort();
  const command = service.command({
    databaseUrl: serviceUrl,
    tenant: world.tenant,
    poolSize: options.poolSize ?? usualPoolSize,
    port: await freePort(),
    logFile,
    fixedBodies: {},
  });
  const program = await RunningProgram.start({
    ...command,
    // A single process has no load balancer in front. Several processes cannot share a metrics
    // port.
    script: processes === 1 ? command.script : path.join(__dirname, 'processes.js'),
    environment: {
      ...command.environment,
      ...settings,
      BENCH_PROCESSES: String(processes),
      METRICS_PORT: processes === 1 ? String(metricsPort) : 'off',
    },
  });
  return { program, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` };
}

/**
 * @returns a function that sends a few completions for a duration, like a bank, during any other
 *   load
 */
async function prepareCompletions(
  { completions, world }: Bench,
  seconds: number,
): Promise<(url: string) => Promise<OpenLoopResult>> {
  const requests = await requestsOf('complete', world, Math.ceil(seconds * completionsPerSecond));
  return (url) =>
    completions.run({
      url,
      seconds,
      connections: 20,
      requests,
      once: true,
      requestsPerSecond: completionsPerSecond,
    });
}

/**
 * @returns the saturating throughput in reads per second, with the same completions as under
 *   overload
 */
async function peakOf(bench: Bench, { url }: RunningProgram): Promise<number> {
  const { options, closedLoop, reads } = bench;
  const { seconds, connections } = options;
  const job = { url, connections, requests: reads, once: false };
  const complete = await prepareCompletions(bench, seconds);
  await closedLoop.run({ ...job, seconds: Math.min(2, seconds) });
  const [result] = await Promise.all([closedLoop.run({ ...job, seconds }), complete(url)]);
  return result.succeeded / result.seconds;
}

/** Reads at a rate, and completions. */
async function sendAt(
  requestsPerSecond: number,
  seconds: number,
  { program, metricsUrl }: Awaited<ReturnType<typeof start>>,
  bench: Bench,
): Promise<Pick<OverloadRun, 'requestsPerSecond' | 'reads' | 'completions' | 'watched'>> {
  const { openLoop, reads } = bench;
  const { url } = program;
  const complete = await prepareCompletions(bench, seconds);
  const both = Promise.all([
    openLoop.run({ url, seconds, connections: 1_000, requests: reads, once: false, requestsPerSecond }),
    complete(url),
  ]);
  const { result, watched } = await watch(program.processId, metricsUrl, both);
  return { requestsPerSecond, reads: result[0], completions: result[1], watched };
}

function judgeOverload(factor: number, leastSucceeded: number, run: OverloadRun): Target[] {
  const { peakBefore, peakAfter = peakBefore, reads, completions, watched } = run;
  const title = `at ${factor} × the peak:`;
  const goodput = succeeded(reads) / reads.seconds / ((peakBefore + peakAfter) / 2);
  const completed = (completions.sinceDue['200']?.count ?? 0) / completions.due;
  return [
    hold(`${title} successes relative to the peak ≥ ${leastSucceeded}`, goodput, '≥', leastSucceeded),
    hold(`${title} p99 of admitted requests ≤ 500 ms`, reads.sinceSent['200']?.p99 ?? NaN, '≤', 500),
    // Without rejections, none can be late.
    hold(`${title} p99 of rejected requests ≤ 1 s`, reads.sinceSent['503']?.p99 ?? 0, '≤', 1_000),
    hold(`${title} rejected without Retry-After = 0`, reads.withoutRetryAfter, '≤', 0),
    hold(`${title} other failures = 0`, broken(reads), '≤', 0),
    hold(`${title} successful completions = all`, completed, '≥', 1),
    hold(`${title} event loop delay p99 ≤ 50 ms`, watched.eventLoopDelayP99 ?? NaN, '≤', 50),
    hold(`${title} resident memory ≤ 250 MB`, Math.max(...watched.residentBytes) / megabyte, '≤', 250),
  ];
}

function judgeSoak({ reads, watched }: OverloadRun): Target[] {
  const memory = watched.residentBytes;
  const middle = (from: number, to: number): number =>
    median(memory.slice(Math.floor(memory.length * from), Math.ceil(memory.length * to)));
  const growth = middle(0.75, 1) / middle(0.25, 0.5);
  return [
    hold('soak: successes relative to due requests ≥ 0.99', succeeded(reads) / reads.due, '≥', 0.99),
    hold('soak: other failures = 0', broken(reads), '≤', 0),
    hold('soak: resident memory ≤ 200 MB', Math.max(...memory) / megabyte, '≤', 200),
    hold('soak: memory in the last quarter ÷ in the second ≤ 1.1', growth, '≤', 1.1),
    hold('soak: event loop delay p99 ≤ 50 ms', watched.eventLoopDelayP99 ?? NaN, '≤', 50),
  ];
}

/**
 * Measures the peak again before and after each overload, because the speed of the machine varies
 * over time.
 */
async function measureOverload(bench: Bench, soakSeconds: number): Promise<[OverloadRun[], Target[]]> {
  const runs: OverloadRun[] = [];
  const targets: Target[] = [];
  const running = await start(bench, 1);
  try {
    // V8 compiles the code of rejections, too: without this, the first load measures the compiler.
    await sendAt(warmUpFactor * (await peakOf(bench, running.program)), warmUpSeconds, running, bench);
    let peak = await peakOf(bench, running.program);
    for (const { factor, leastSucceeded } of loads) {
      const peakBefore = peak;
      const found = await sendAt(peakBefore * factor, bench.options.seconds, running, bench);
      peak = await peakOf(bench, running.program);
      const run = { title: `${factor} × the peak`, peakBefore, peakAfter: peak, ...found };
      runs.push(run);
      targets.push(...judgeOverload(factor, leastSucceeded, run));
      say(`sent ${factor} × the peak`);
    }
    if (soakSeconds > 0) {
      say(`soak of ${soakSeconds} s`);
      const found = await sendAt(peak * soakFactor, soakSeconds, running, bench);
      const run = { title: `soak, ${soakFactor} × the peak`, peakBefore: peak, ...found };
      runs.push(run);
      targets.push(...judgeSoak(run));
    }
  } finally {
    await running.program.stop();
  }
  return [runs, targets];
}

/** With the rate limits that the service has by default. */
const usualRates = { RATE_LIMIT_PER_SECOND: '', COMPLETION_RATE_LIMIT_PER_SECOND: '' };

/** @returns requests per second with one process and with two */
async function measureProcesses(bench: Bench): Promise<Record<string, number>> {
  const processes: Record<string, number> = {};
  for (const count of [1, 2]) {
    const { program } = await start(bench, count);
    try {
      processes[count] = await peakOf(bench, program);
    } finally {
      await program.stop();
    }
  }
  return processes;
}

async function overload(options: BenchOptions): Promise<void> {
  const soakSeconds = Number(process.env['BENCH_SOAK_SECONDS'] ?? 600);
  const busy = await busyShare();
  const server = await openServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-bench-'));
  const loadProcesses = {
    closedLoop: LoadProcess.closedLoop(),
    openLoop: LoadProcess.openLoop(),
    completions: LoadProcess.openLoop(),
  };
  try {
    const machine = await describeMachine(server, busy);
    const { world, serviceUrl, close } = await openWorld(server, options);
    try {
      const bench: Bench = {
        options,
        serviceUrl,
        world,
        reads: await requestsOf('main-user', world, 5_000),
        logFile: path.join(folder, 'service.log'),
        ...loadProcesses,
      };
      const { shapes = [], isShort, seconds } = options;
      const hostileShape = shapes.find((shape) => shape.startsWith('hostile'));
      const hostile = hostileShape
        ? await playHostile({
            cast: await createCast(world),
            seconds,
            isShort,
            speed: isShort
              ? await createsPerSecond((await start(bench, 1)).program, world, bench.closedLoop)
              : undefined,
            only: hostileShape.split(':')[1] ?? '',
            start: () => start(bench, 1, usualRates),
          })
        : [];
      const [runs, targets] = shapes.includes('reads') ? await measureOverload(bench, soakSeconds) : [[], []];
      const processes = shapes.includes('reads') ? await measureProcesses(bench) : {};
      targets.push(...judgeHostile(hostile, !isShort));
      const result: OverloadResult = { machine, options, targets, runs, hostile, processes };
      if (isShort && targets.some(({ isMet }) => !isMet)) process.exitCode = 1;
      say(overloadText(result));
      say(writeResult('bench-overload', result));
    } finally {
      await close();
    }
  } finally {
    for (const load of Object.values(loadProcesses)) load.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

runMain(async () => {
  const options = readOptions(help, {
    seconds: 20,
    pool: usualPoolSize,
    connections: 32,
    shapes: 'hostile,reads',
    short: 'no',
    scale: 0.001,
    seed: 1,
  });
  if (options) await overload(options);
});
