import { setTimeout as delay } from 'node:timers/promises';

import { Command } from 'commander';

import { parseWholeNumber } from '../../support/command-line';
import { build } from '../../support/program';
import { checkJournal } from '../faults/journal/check';
import { judgeRun } from '../faults/judge-run';
import { createRandom, type Random } from '../faults/random';
import { verifyDatabase } from '../faults/verify';
import { readDeliveries } from './deliveries';
import { type Disturbance, disturbances } from './disturbances';
import { startPacedLoad } from './paced-load';
import { createWorld, type OutageWorld } from './world';

/**
 * A receiver is killed, cut off, slow, wrong, gone and moved while contributions are created and
 * completed. In the end, it has exactly the events of the feed.
 */

interface Options {
  seed: number;
  minutes: number;
  perSecond: number;
}

/** An hour has some outages that last long enough for the endpoint to be probed. */
const [longFromMs, longToMs] = [90_000, 240_000];
const [shortFromMs, shortToMs] = [2_000, 10_000];
const longShare = 0.05;
const pauseToMs = 10_000;
const progressWithinMs = 90_000;

/** The partner enables endpoints that a 410 has disabled. Nothing else disables one. */
async function enableDisabled({ client, endpoints, journal }: OutageWorld): Promise<void> {
  for (const endpoint of endpoints) {
    const { status, disabled_reason: reason } = await client.get(endpoint);
    if (status !== 'disabled') continue;
    if (reason !== 'gone') journal.violate('illegal', `an endpoint was disabled: ${String(reason)}`);
    await client.enable(endpoint);
  }
}

function* shuffled(random: Random): Generator<Disturbance, never> {
  for (;;) yield* random.shuffle(disturbances);
}

/** @returns how often each disturbance ran, and how long in total */
async function disturb(world: OutageWorld, random: Random, endsAt: number): Promise<Map<string, number[]>> {
  const ran = new Map<string, number[]>(disturbances.map(({ name }) => [name, []]));
  for (const { name, run } of shuffled(random)) {
    await delay(random.integer(1_000, Math.min(pauseToMs, Math.max(1_000, (endsAt - Date.now()) / 20))));
    const leftMs = endsAt - Date.now();
    if (leftMs < shortToMs) break;
    const isLong = leftMs > 2 * longToMs && random.chance(longShare);
    const durationMs = isLong
      ? random.integer(longFromMs, longToMs)
      : random.integer(shortFromMs, Math.min(shortToMs, leftMs / disturbances.length + shortFromMs));
    const startedAt = Date.now();
    await run(world, random, durationMs);
    ran.get(name)?.push(Date.now() - startedAt);
    await enableDisabled(world);
    console.error(
      `${new Date().toISOString()} ${name} for ${Math.round((Date.now() - startedAt) / 100) / 10} s`,
    );
  }
  return ran;
}

/** Waits until everything is delivered. Makes retries and probes due, so that it takes no hours. */
async function drain({ query, journal }: OutageWorld): Promise<void> {
  let left = Infinity;
  for (let progressAt = Date.now(); Date.now() < progressAt + progressWithinMs;) {
    await query('UPDATE webhook_retries SET next_attempt_at = now() WHERE next_attempt_at > now()');
    await query('UPDATE webhook_endpoints SET next_probe_at = now() WHERE next_probe_at > now()');
    const [row] = await query<{ left: number }>(
      `SELECT (SELECT count(*) FROM event_queue)::integer + (SELECT count(*) FROM webhook_retries)::integer
          + (SELECT sum(f.last_sequence - w.position) FROM webhook_endpoints w JOIN feeds f ON f.environment_id = w.environment_id)::integer AS left`,
    );
    const now = row?.left ?? 0;
    if (now === 0) return;
    if (now < left) progressAt = Date.now();
    left = now;
    await delay(500);
  }
  journal.violate('lost', `${left} events are not delivered, and none was for ${progressWithinMs} ms`);
}

/** @returns the events that were delivered */
async function check(world: OutageWorld): Promise<{ count: number; repeats: number }> {
  const { client, endpoints, journal, query, tenants, received } = world;
  const report = (problem: string): void => {
    journal.violate('illegal', problem);
  };
  const ids = endpoints.map(({ environmentId }) => environmentId);
  const delivered = await readDeliveries(received, ids, report);
  const sum = { count: 0, repeats: 0 };
  for (const endpoint of endpoints) {
    const one = delivered.get(endpoint.environmentId);
    one?.compare(await client.feed(endpoint));
    sum.count += one?.count ?? 0;
    sum.repeats += one?.repeats ?? 0;
  }
  await checkJournal(journal, query, tenants.environments, 'all');
  for (const finding of await verifyDatabase(world.superuserUrl)) report(`verify: ${finding}`);
  for (const line of world.alarms()) report(`a process calls: ${line}`);
  return sum;
}

/** The failed attempts. An outage must not use up an event's attempts. */
async function checkAttempts({ query, journal }: OutageWorld): Promise<string> {
  const [found] = await query<{
    failed: number;
    exhausted: number;
    notices: number;
    highest: number;
    most: number;
  }>(
    `SELECT count(*) FILTER (WHERE a.outcome = 'failed')::integer AS failed,
            count(*) FILTER (WHERE a.outcome = 'exhausted')::integer AS exhausted,
            coalesce(max(a.attempt), 0)::integer AS highest,
            (SELECT count(*) FROM feed_events e WHERE e.type = 'webhook_delivery.exhausted')::integer AS notices
       FROM webhook_attempts a`,
  );
  if (!found || found.exhausted > 0 || found.notices > 0)
    journal.violate('lost', `attempts of ${found?.exhausted ?? 0} events were used up`);
  if (!found || found.failed === 0) journal.violate('unexplained', 'no delivery failed');
  return `${found?.failed ?? 0} failed attempts, at most ${found?.highest ?? 0} of one event; ${found?.exhausted ?? 0} used up`;
}

async function play(world: OutageWorld, { seed, minutes, perSecond }: Options): Promise<void> {
  const { http, journal, tenants } = world;
  const random = createRandom(seed);
  const startedAt = Date.now();
  const load = startPacedLoad({ http, journal, tenants, random: createRandom(seed + 1) }, perSecond);
  let ran: Map<string, number[]>;
  try {
    ran = await disturb(world, random, startedAt + minutes * 60_000);
  } finally {
    await load.stop();
  }
  const loadSeconds = Math.round((Date.now() - startedAt) / 1_000);
  // A batch that began during the last disturbance can still end with a 410.
  await delay(1_000);
  await enableDisabled(world);
  const drainsAt = Date.now();
  await drain(world);
  const drainSeconds = Math.round((Date.now() - drainsAt) / 1_000);
  const attempts = await checkAttempts(world);
  const { count, repeats } = await check(world);
  for (const [name, durations] of ran)
    console.log(
      `${name.padEnd(8)} ${String(durations.length).padStart(3)} times, ${Math.round(durations.reduce((sum, one) => sum + one, 0) / 1_000)} s, longest ${Math.round(Math.max(0, ...durations) / 1_000)} s`,
    );
  console.log(`${journal.counts.creates} create requests in ${loadSeconds} s`);
  console.log(
    `${count} events delivered to ${world.endpoints.length} endpoints, ${repeats} repeats with the same id`,
  );
  console.log(`${attempts}; the rest was delivered within ${drainSeconds} s`);
  console.log(`${journal.violations.length} violations`);
}

async function main(options: Options): Promise<void> {
  await build();
  const world = await createWorld();
  await judgeRun(world, options.seed, () => play(world, options));
}

void new Command('npm run test:suite webhook-outages --')
  .description(
    'Kills, cuts off, slows down, breaks and moves the webhook receiver under load, and compares what it got with the feeds.',
  )
  .option('--seed <number>', 'seed of the order of disturbances', parseWholeNumber, Date.now() % 1_000_000)
  .option('--minutes <number>', 'how long the load lasts', parseWholeNumber, 60)
  .option('--per-second <number>', 'contributions created per second', parseWholeNumber, 12)
  .action(main)
  .parseAsync();
