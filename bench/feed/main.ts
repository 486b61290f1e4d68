import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { interruption } from '../interruption';
import { LoadProcess } from '../load/load-process';
import { measureRound, type Round } from '../measure/round';
import { median, medianWithin } from '../measure/statistics';
import { inOrderOf } from '../measure/turns';
import { comparedOperations, type Operation } from '../operations';
import { chosen, readOptions, usualPoolSize } from '../options';
import { type Figure, figure as hold, reportFigures } from '../results';
import { runMain, say } from '../say';
import { busyShare, describeMachine } from '../world/machine';
import { openServer, queryAt } from '../world/server';
import { openSide, type Side } from './sides';

const help = `npm run bench -- feed [options]

Measures what the event feed costs creates and completions: CPU time of Node.js and of PostgreSQL's backends. It
compares the service with one whose functions do not queue events, and shows what the relay adds in the same process.`;

const sideOptions = [
  { name: 'without the feed', hasFeed: false, delivers: false },
  { name: 'with the feed', hasFeed: true, delivers: false },
  { name: 'with the relay', hasFeed: true, delivers: true },
] as const;
const mostPercent = 5;
const warmUpSeconds = 4;
const requestsPerSecond = 2_500;

type Pairs = Map<Side, Round[]>;
interface Load {
  closedLoop: ReturnType<typeof LoadProcess.closedLoop>;
  connections: number;
  seconds: number;
}

/** Waits until the relay has moved what the preparation queued. */
async function waitForRelay({ adminUrl, name }: Side): Promise<void> {
  if (name !== 'with the relay') return;
  while ((await queryAt(adminUrl, 'SELECT FROM event_queue LIMIT 1')).length > 0) {
    interruption.throwIfAborted();
    await delay(100);
  }
}

function measure({ closedLoop, connections }: Load, operation: Operation, side: Side, seconds: number) {
  const { world, program, adminUrl } = side;
  return program.whileRunning(async () => {
    const requests = await operation.requests(world, Math.ceil(seconds * requestsPerSecond));
    await waitForRelay(side);
    const job = { url: program.url, seconds, connections, requests, once: operation.once };
    return measureRound(closedLoop, job, [program.processId], adminUrl);
  });
}

const total = ({ nodeMilliseconds, postgresMilliseconds }: Round): number =>
  (nodeMilliseconds ?? NaN) + (postgresMilliseconds ?? NaN);

/** How much more CPU time one side uses than another, in percent. */
function figuresOf({ name }: Operation, pairs: Pairs, rounds: number): Figure[] {
  const [without = [], withFeed = [], withRelay = []] = [...pairs.values()];
  const percent = (than: readonly Round[], more: readonly Round[]) =>
    medianWithin(more.map((round, index) => (total(round) / total(than[index] ?? round) - 1) * 100));
  const feed = percent(without, withFeed);
  const relay = percent(withFeed, withRelay);
  for (const [side, all] of pairs) {
    const each = (of: (round: Round) => number | null) =>
      (median(all.map((r) => of(r) ?? NaN)) * 1_000).toFixed(0);
    say(
      `${name} ${side.name}: Node.js ${each((r) => r.nodeMilliseconds)} µs, PostgreSQL ${each((r) => r.postgresMilliseconds)} µs`,
    );
  }
  const within = ({ minimum, maximum }: typeof feed): string =>
    `95 % ${minimum.toFixed(1)}–${maximum.toFixed(1)}`;
  return [
    hold(
      `% more CPU time of a ${name} with the feed, median of ${rounds} pairs, ${within(feed)}`,
      feed.median,
      '≤',
      mostPercent,
    ),
    hold(
      `% more CPU time per ${name} with the relay in the process, ${within(relay)}`,
      relay.median,
      '≤',
      Infinity,
    ),
  ];
}

async function measureOperation(load: Load, operation: Operation, sides: readonly Side[], rounds: number) {
  const pairs: Pairs = new Map(sides.map((side) => [side, []]));
  for (const side of sides) await measure(load, operation, side, warmUpSeconds).catch(() => undefined);
  for (let round = 0; round < rounds; round += 1) {
    for (const side of inOrderOf(round, sides)) {
      const again = (): Promise<Round> => measure(load, operation, side, load.seconds);
      // On a busy machine, a round can have too many rejected requests.
      pairs.get(side)?.push(await again().catch(again));
    }
    say(`${operation.name}: round ${round + 1} of ${rounds}`);
  }
  return figuresOf(operation, pairs, rounds);
}

runMain(async () => {
  const defaults = { rounds: 24, seconds: 3, connections: 16, pool: usualPoolSize, scale: 0.001, seed: 1 };
  const options = readOptions(help, { ...defaults, operations: 'create,complete' });
  if (!options) return;
  const { rounds, seconds, connections } = options;
  const busy = await busyShare();
  const server = await openServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-bench-'));
  const closedLoop = LoadProcess.closedLoop();
  const sides: Side[] = [];
  try {
    const machine = await describeMachine(server, busy);
    const shared = {
      ...options,
      poolSize: options.poolSize ?? usualPoolSize,
      logFile: path.join(folder, 'log'),
    };
    for (const one of sideOptions) sides.push(await openSide(server, shared, one));
    const figures: Figure[] = [];
    for (const operation of chosen(comparedOperations, options.operations ?? ['create', 'complete']))
      figures.push(
        ...(await measureOperation({ closedLoop, connections, seconds }, operation, sides, rounds)),
      );
    if (!reportFigures('feed', { machine, seconds, figures })) process.exitCode = 1;
  } finally {
    for (const side of sides) {
      await side.program.stop();
      await side.close();
    }
    closedLoop.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});
