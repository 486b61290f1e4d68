import { setTimeout as delay } from 'node:timers/promises';

import type { FloodJob, FloodResult, OpenLoopJob, OpenLoopResult } from '../load/job';
import { LoadProcess } from '../load/load-process';
import type { RequestSpec, RequestWorld } from '../operations';
import type { RunningProgram } from '../programs/program';
import type { HostileRun } from '../results';
import { say } from '../say';
import {
  type Cast,
  invalidCompletions,
  longLists,
  requestsOf,
  withInventedPairs,
  withoutCredentials,
  withWrongSecrets,
} from './cast';
import { figuresOf } from './figures';
import { watch } from './watch';

/** Completions and creates per second, and the size of a burst, at the usual speed. */
const usualRate = 20;
const usualBurst = 1_000;
/** The creates per second of a machine of the usual speed. */
const usualSpeed = 2_000;

/** One hostile load; it may have several concurrent floods. */
interface Flood {
  title: string;
  kind: FloodJob['kind'];
  connections: number;
  pipelined: number;
  requests: readonly (readonly RequestSpec[])[];
}

export interface HostileBench {
  cast: Cast;
  seconds: number;
  /** A process that has just started to listen. */
  start: () => Promise<{ program: RunningProgram; metricsUrl: string }>;
  isShort: boolean;
  /** The creates per second of this machine, which asks less of a slower one. */
  speed: number | undefined;
  /** Runs only loads whose title contains this text. */
  only: string;
}

/**
 * All floods: several kinds of strangers, a partner with each kind of operation, slow bodies, and
 * endless pipelines.
 */
async function floodsOf({ bank, flooders }: Cast): Promise<Flood[]> {
  const [one, two] = flooders;
  const anonymous = withoutCredentials(bank.tenant);
  const flood = (
    title: string,
    connections: number,
    pipelined: number,
    ...requests: (readonly RequestSpec[])[]
  ): Flood => ({
    title: `${title}, ${connections} × ${pipelined}`,
    kind: 'flood',
    connections,
    pipelined,
    requests,
  });
  const invented = withInventedPairs(2_000);
  const own = async (world: RequestWorld) => ({
    creates: await requestsOf('create', world, 2_000),
    completions: invalidCompletions(world, 2_000),
    reads: await requestsOf('main-user', world, 2_000),
  });
  const [first, second] = [await own(one), await own(two)];
  return [
    flood('no credentials', 50, 20, anonymous),
    flood('no credentials', 500, 1, anonymous),
    flood('invented key pairs', 50, 20, invented),
    flood("the bank's key with wrong secrets", 50, 20, withWrongSecrets(bank.tenant, 2_000)),
    ...(['creates', 'completions', 'reads'] as const).flatMap((kind) => [
      flood(`a partner's ${kind}`, 50, 20, first[kind]),
      flood(`a partner's ${kind}`, 100, 1, first[kind]),
      flood(`two partners' ${kind}`, 50, 20, first[kind], second[kind]),
    ]),
    {
      title: 'slow bodies, 500 connections',
      kind: 'slow-bodies',
      connections: 500,
      pipelined: 1,
      requests: [first.creates],
    },
    { ...flood('aborted requests, no credentials', 100, 63, anonymous), kind: 'aborts' },
    { ...flood("a partner's aborted creates", 100, 63, first.creates), kind: 'aborts' },
    flood('no credentials, pipelines', 5, 8_000, anonymous),
    flood("a partner's reads, pipelines", 5, 8_000, first.reads),
    { ...flood("connection churn, a partner's abandoned lists", 20, 1, await longLists(one)), kind: 'churn' },
    { ...flood('connection churn, no credentials', 20, 1, anonymous), kind: 'churn' },
  ];
}

/** Load processes, one per concurrent task. */
class Loads {
  readonly completions = LoadProcess.openLoop();
  readonly creates = LoadProcess.openLoop();
  readonly burst = LoadProcess.flood();
  readonly floods = [LoadProcess.flood(), LoadProcess.flood()];

  stop(): void {
    for (const load of [this.completions, this.creates, this.burst, ...this.floods]) load.stop();
  }

  flood(
    { kind, connections, pipelined, requests }: Flood,
    url: string,
    seconds: number,
  ): Promise<FloodResult[]> {
    return Promise.all(
      requests.map((own, place) => {
        const load = this.floods[place];
        if (!load) throw new Error('there are too few load processes');
        return load.run({ url, kind, connections, pipelined, seconds, requests: own });
      }),
    );
  }
}

const scaled = (usual: number, { speed = usualSpeed }: HostileBench): number =>
  Math.ceil(usual * Math.min(1, speed / usualSpeed));

/** The bank's completions and the partner's creates, at an ordinary rate. */
async function prepareVictims(
  { completions, creates }: Loads,
  bench: HostileBench,
  seconds: number,
  opensConnections = false,
): Promise<(url: string) => Promise<{ completions: OpenLoopResult; creates: OpenLoopResult }>> {
  const { bank, partner } = bench.cast;
  const requestsPerSecond = scaled(usualRate, bench);
  const count = Math.ceil(seconds * requestsPerSecond);
  const [toComplete, toCreate] = [
    await requestsOf('complete', bank, count),
    await requestsOf('create', partner, count),
  ];
  const job = (url: string, requests: readonly RequestSpec[], once: boolean): OpenLoopJob => ({
    url,
    seconds,
    // A request that waits for its connection must not delay later ones.
    connections: opensConnections ? requests.length : 20,
    requests,
    once,
    requestsPerSecond,
    opensConnections,
  });
  return async (url) => {
    const [completed, created] = await Promise.all([
      completions.run(job(url, toComplete, true)),
      creates.run(job(url, toCreate, false)),
    ]);
    return { completions: completed, creates: created };
  };
}

async function playFlood(
  bench: HostileBench,
  loads: Loads,
  flood: Flood,
  afterRestart: boolean,
): Promise<HostileRun> {
  const { seconds } = bench;
  // New connections show how long the service takes to accept them; open ones do not.
  const victims = await prepareVictims(loads, bench, seconds, flood.kind === 'churn');
  const { program, metricsUrl } = await bench.start();
  try {
    const { url } = program;
    if (!afterRestart) await (await prepareVictims(loads, bench, 2))(url);
    const flooding = loads.flood(flood, url, seconds + 1);
    await delay(afterRestart ? 0 : 500);
    const { result, watched } = await watch(program.processId, metricsUrl, victims(url));
    return {
      title: flood.title + (afterRestart ? ', right after a restart' : ''),
      ...result,
      floods: await flooding,
      watched,
    };
  } finally {
    await program.stop();
  }
}

async function playBurst(
  bench: HostileBench,
  loads: Loads,
  kind: 'create' | 'complete',
  connections: number,
  flood: Flood | undefined,
): Promise<HostileRun> {
  const { cast } = bench;
  const size = scaled(usualBurst, bench);
  const own = await requestsOf(kind, cast.busy, size);
  // Creates can be repeated: without an Idempotency-Key, each is another contribution.
  const requests =
    kind === 'complete'
      ? own
      : Array.from({ length: size }, (_, place) => own[place % own.length] ?? []).flat();
  const { program, metricsUrl } = await bench.start();
  try {
    const { url } = program;
    await (
      await prepareVictims(loads, bench, 2)
    )(url);
    const flooding = flood ? loads.flood(flood, url, 8) : Promise.resolve([]);
    await delay(1_000);
    const work = loads.burst.run({ url, kind: 'burst', connections, pipelined: 1, seconds: 15, requests });
    const { result, watched } = await watch(program.processId, metricsUrl, work, 100);
    return {
      title: `${requests.length} ${kind}s at once on ${connections} connections${flood ? `, under ${flood.title}` : ''}`,
      burst: { ...result, expected: requests.length, isAlone: !flood },
      floods: await flooding,
      watched,
    };
  } finally {
    await program.stop();
  }
}

/**
 * Runs every hostile load against a new process of the service. Measures a bank that completes 20
 * contributions per second, a partner that creates 20 per second, and bursts.
 */
export async function playHostile(bench: HostileBench): Promise<HostileRun[]> {
  const loads = new Loads();
  const runs: HostileRun[] = [];
  const note = (run: HostileRun): void => {
    runs.push(run);
    say(describe(run));
  };
  try {
    const floods = await floodsOf(bench.cast);
    const chosen = floods.filter(({ title }) => title.includes(bench.only));
    for (const flood of bench.isShort ? chosen.filter((_, index) => index % 2 === 0) : chosen) {
      note(await playFlood(bench, loads, flood, false));
      if (!bench.isShort) note(await playFlood(bench, loads, flood, true));
    }
    for (const kind of 'bursts'.includes(bench.only) ? (['create', 'complete'] as const) : []) {
      for (const connections of [scaled(usualBurst, bench), 50]) {
        note(await playBurst(bench, loads, kind, connections, undefined));
        note(await playBurst(bench, loads, kind, connections, floods[0]));
      }
    }
    return runs;
  } finally {
    loads.stop();
  }
}

function describe(run: HostileRun): string {
  const figures = Object.entries(figuresOf(run)).map(
    ([name, value]) => `${name} ${value.toFixed(value <= 1 ? 3 : 0)}`,
  );
  const responses = run.floods.map((flood) =>
    JSON.stringify({ ...flood.responses, closed: flood.closedConnections }),
  );
  return `${run.title}: ${figures.join(', ')}; flood ${responses.join(' ')}`;
}
