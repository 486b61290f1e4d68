import type { Comparison, Runner } from './comparison';
import { measureAtFixedRate } from './fixed-rate';
import type { Job } from './load/job';
import { bestPoolSize, type Trial } from './measure/pool-size';
import { measureRound, type Round } from './measure/round';
import { checkSameBytes } from './measure/same-bytes';
import { median, summarize } from './measure/statistics';
import { inOrderOf } from './measure/turns';
import { type Operation, requestsFor, type RequestWorld } from './operations';
import { type Contestant, service } from './programs/contestants';
import { freePort, RunningProgram } from './programs/program';
import type { ProgramResult } from './results';
import { say } from './say';

const warmUpSeconds = 2;
/**
 * V8 needs about six seconds to compile hot code. Cold code uses a tenth more CPU time per request.
 */
const firstWarmUps = 4;

/** One operation of a comparison, with its requests for a number of seconds. */
interface Measured {
  comparison: Comparison;
  operation: Operation;
  requests: Awaited<ReturnType<typeof requestsFor>>;
  fixedBodies: Record<string, string>;
}

/**
 * Measures one operation on the service and its rivals in interleaved rounds.
 *
 * @param inEachRound also runs in each round, such as pgbench
 * @returns the results, the service first, and the failures
 */
export async function compare(
  comparison: Comparison,
  operation: Operation,
  contestants: readonly Contestant[],
  inEachRound: () => Promise<void>,
): Promise<{ programs: ProgramResult[]; skipped: string[] }> {
  const requests = await requestsFor(operation, comparison.world);
  const measured: Measured = { comparison, operation, requests, fixedBodies: {} };
  const runners: Runner[] = [];
  try {
    for (const contestant of [service, ...contestants]) await addRunner(measured, contestant, runners);
    for (let round = 0; round < comparison.options.rounds; round += 1) {
      for (const runner of inOrderOf(round, runners)) await measureTurn(measured, runner);
      await inEachRound();
      say(`${operation.name}: round ${round + 1} of ${comparison.options.rounds}`);
    }
    const programs = runners.map(summarizeRunner);
    const skipped = await measureAtFixedRate(comparison, operation, runners, programs, requests);
    return { programs, skipped };
  } finally {
    await Promise.all(runners.map(({ program }) => program.stop()));
  }
}

/** Starts a program with its best pool size, checks its responses, and pauses it. */
async function addRunner(measured: Measured, contestant: Contestant, runners: Runner[]): Promise<void> {
  const { comparison, operation, fixedBodies } = measured;
  const { options, world } = comparison;
  const { best, tried } = contestant.hasPool
    ? await bestPoolSize(options.poolSize, (poolSize) => openTrial(measured, contestant, poolSize))
    : { best: null, tried: {} };
  const program = await start(measured, contestant, best ?? 1);
  runners.push({ contestant, program, poolSize: best, tried, rounds: [] });
  const [ours] = runners;
  if (contestant === service) await readFixedBodies(program.url, operation, world, fixedBodies);
  else
    await ours?.program.whileRunning(() =>
      checkSameBytes(world, operation, ours.program.url, { ...contestant, url: program.url }),
    );
  await program.pause();
  say(`${operation.name}: ${contestant.name}, pool size ${best ?? 'none'}`);
}

async function start(
  { comparison, fixedBodies }: Measured,
  contestant: Contestant,
  poolSize: number,
): Promise<RunningProgram> {
  const runtimeOptions = {
    ...comparison,
    databaseUrl: comparison.serviceUrl,
    tenant: comparison.world.tenant,
    fixedBodies,
  };
  return RunningProgram.start(contestant.command({ ...runtimeOptions, poolSize, port: await freePort() }));
}

async function openTrial(measured: Measured, contestant: Contestant, poolSize: number): Promise<Trial> {
  const program = await start(measured, contestant, poolSize);
  await program.pause();
  const rateOf = async (seconds: number): Promise<number> => {
    const result = await measured.comparison.closedLoop.run(await jobOf(measured, program, seconds));
    return result.succeeded / result.seconds;
  };
  let warmUp = warmUpSeconds;
  const sample = (): Promise<number> =>
    program.whileRunning(async () => {
      await rateOf(warmUp);
      warmUp = 1;
      return rateOf(2);
    });
  return { sample, close: () => program.stop() };
}

function measureTurn(measured: Measured, { program, rounds, contestant }: Runner): Promise<void> {
  const { closedLoop, adminUrl, options } = measured.comparison;
  return program.whileRunning(async () => {
    // A pool closes idle connections. Reopen them before the measurement starts.
    for (let warmUp = 0; warmUp < (rounds.length === 0 ? firstWarmUps : 1); warmUp += 1)
      await closedLoop.run(await jobOf(measured, program, warmUpSeconds));
    const job = await jobOf(measured, program, options.seconds);
    rounds.push(
      await measureRound(closedLoop, job, [program.processId], adminUrl).catch((error: unknown) => {
        throw new Error(`${contestant.title} at ${measured.operation.title}`, { cause: error });
      }),
    );
  });
}

async function jobOf(
  { comparison: { options }, operation, requests }: Measured,
  { url }: RunningProgram,
  seconds: number,
): Promise<Job> {
  const limited = Math.min(seconds, options.seconds);
  return {
    url,
    seconds: limited,
    connections: options.connections,
    requests: await requests(limited),
    once: operation.once,
  };
}

async function readFixedBodies(
  url: string,
  operation: Operation,
  world: RequestWorld,
  into: Record<string, string>,
): Promise<void> {
  const [request] = await operation.requests(world, 1);
  if (request?.method !== 'GET') return;
  const response = await fetch(url + request.path, { headers: { ...request.headers } });
  into[new URL(url + request.path).pathname] = await response.text();
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
