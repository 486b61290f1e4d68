import type { ClosedLoopResult, Job, OpenLoopJob, OpenLoopResult } from './load/job';
import type { LoadProcess } from './load/load-process';
import { bestPoolSize } from './measure/pool-size';
import { measureRound, type Round } from './measure/round';
import { checkSameBytes } from './measure/same-bytes';
import { median, summarize } from './measure/statistics';
import type { Operation, RequestSpec, RequestWorld } from './operations';
import type { BenchOptions } from './options';
import { type Contestant, service } from './programs/contestants';
import { freePort, RunningProgram } from './programs/program';
import type { ProgramResult } from './results';
import { say } from './say';

/** What all comparisons of a run share. */
export interface Comparison {
  options: BenchOptions;
  world: RequestWorld;
  serviceUrl: string;
  adminUrl: string;
  logFile: string;
  closedLoop: LoadProcess<Job, ClosedLoopResult>;
  openLoop: LoadProcess<OpenLoopJob, OpenLoopResult>;
}

const warmUpSeconds = 2;
/** For so many requests a second there are requests that can be sent once only. */
const mostPerSecond = 4_000;
/** Of the median of the slowest program that is not built to be slow. */
const fixedRateShare = 0.5;

interface Runner {
  contestant: Contestant;
  program: RunningProgram;
  poolSize: number | null;
  tried: Record<string, number>;
  rounds: Round[];
}

/**
 * Measures one operation on the service and its rivals, in turns.
 *
 * @param inEachRound what else takes its turn
 */
export async function compare(
  comparison: Comparison,
  operation: Operation,
  contestants: readonly Contestant[],
  inEachRound: () => Promise<void>,
): Promise<ProgramResult[]> {
  const { options, world, adminUrl, closedLoop } = comparison;
  const fixedBodies: Record<string, string> = {};
  const runners: Runner[] = [];
  const reusable = operation.once ? [] : await operation.requests(world, 5_000);
  const requests = (seconds: number): Promise<readonly RequestSpec[]> =>
    operation.once
      ? operation.requests(world, Math.ceil(seconds * mostPerSecond))
      : Promise.resolve(reusable);
  const jobOf = async ({ url }: RunningProgram, seconds: number): Promise<Job> => ({
    url,
    seconds,
    connections: options.connections,
    requests: await requests(seconds),
    once: operation.once,
  });
  const start = async (contestant: Contestant, poolSize: number): Promise<RunningProgram> => {
    const surroundings = {
      ...comparison,
      databaseUrl: comparison.serviceUrl,
      tenant: world.tenant,
      fixedBodies,
    };
    return RunningProgram.start(contestant.command({ ...surroundings, poolSize, port: await freePort() }));
  };
  const tryPool = (contestant: Contestant) => async (poolSize: number) => {
    const program = await start(contestant, poolSize);
    try {
      const seconds = Math.min(2, options.seconds);
      await closedLoop.run(await jobOf(program, seconds / 2));
      const result = await closedLoop.run(await jobOf(program, seconds));
      return result.answered / result.seconds;
    } finally {
      await program.stop();
    }
  };

  try {
    for (const contestant of [service, ...contestants]) {
      const { best, tried } = contestant.hasPool
        ? await bestPoolSize(options.poolSize, tryPool(contestant))
        : { best: null, tried: {} };
      const program = await start(contestant, best ?? 1);
      runners.push({ contestant, program, poolSize: best, tried, rounds: [] });
      if (contestant === service) await readFixedBodies(program.url, reusable, fixedBodies);
      else
        await checkSameBytes(world, operation, runners[0]?.program.url ?? '', {
          ...contestant,
          url: program.url,
        });
      say(`${operation.name}: ${contestant.name}, pool of ${best ?? 'none'}`);
    }
    for (let round = 0; round < options.rounds; round += 1) {
      for (let turn = 0; turn < runners.length; turn += 1) {
        const runner = runners[(round + turn) % runners.length];
        if (!runner) continue;
        // A pool closes connections that were idle for long; they are opened again before the clock runs.
        await closedLoop.run(await jobOf(runner.program, Math.min(warmUpSeconds, options.seconds)));
        const job = await jobOf(runner.program, options.seconds);
        runner.rounds.push(
          await measureRound(closedLoop, job, [runner.program.processId], adminUrl).catch(
            (error: unknown) => {
              throw new Error(`${runner.contestant.title} at ${operation.title}`, { cause: error });
            },
          ),
        );
      }
      await inEachRound();
      say(`${operation.name}: round ${round + 1} of ${options.rounds}`);
    }
    const results = runners.map(summarizeRunner);
    await measureAtFixedRate(comparison, operation, runners, results, requests);
    return results;
  } finally {
    await Promise.all(runners.map(({ program }) => program.stop()));
  }
}

async function readFixedBodies(
  url: string,
  requests: readonly RequestSpec[],
  into: Record<string, string>,
): Promise<void> {
  const [request] = requests;
  if (request?.method !== 'GET') return;
  const answer = await fetch(url + request.path, { headers: { ...request.headers } });
  into[new URL(url + request.path).pathname] = await answer.text();
}

function summarizeRunner({ contestant, poolSize, tried, rounds }: Runner): ProgramResult {
  const medianOf = (read: (round: Round) => number | null): number | null => {
    const values = rounds.map(read).filter((value) => value !== null);
    return values.length === rounds.length ? median(values) : null;
  };
  return {
    name: contestant.name,
    title: contestant.title,
    poolSize,
    triedPoolSizes: tried,
    rounds,
    requestsPerSecond: summarize(rounds.map((round) => round.requestsPerSecond)),
    p50: summarize(rounds.map((round) => round.p50)),
    nodeMilliseconds: medianOf((round) => round.nodeMilliseconds),
    postgresMilliseconds: medianOf((round) => round.postgresMilliseconds),
  };
}

/** Latency means something only at a rate that can be kept; the same for all. */
async function measureAtFixedRate(
  { options, openLoop }: Comparison,
  operation: Operation,
  runners: readonly Runner[],
  results: ProgramResult[],
  requests: (seconds: number) => Promise<readonly RequestSpec[]>,
): Promise<void> {
  const isBuiltSlow = (name: string): boolean => name === 'express-usual';
  const rates = results
    .filter(({ name }) => !isBuiltSlow(name))
    .map((result) => result.requestsPerSecond.median);
  const requestsPerSecond = Math.max(1, Math.floor(Math.min(...rates) * fixedRateShare));
  for (const [place, { contestant, program }] of runners.entries()) {
    const result = results[place];
    if (
      !result ||
      (result.requestsPerSecond.median * 0.8 < requestsPerSecond && isBuiltSlow(contestant.name))
    )
      continue;
    const { sinceDue, errors } = await openLoop.run({
      url: program.url,
      seconds: options.seconds,
      connections: 4 * options.connections,
      requests: await requests(options.seconds),
      once: operation.once,
      requestsPerSecond,
    });
    const latencies = sinceDue['200'] ?? sinceDue['201'];
    if (!latencies || errors > 0) throw new Error(`${contestant.name} at a fixed rate: ${errors} errors`);
    result.atFixedRate = { requestsPerSecond, latencies };
  }
}
