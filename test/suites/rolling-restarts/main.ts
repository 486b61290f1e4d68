import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Command } from 'commander';
import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { startWebhookReceivers } from '../faults/clients/webhook-receiver';
import { Journal } from '../faults/journal/journal';
import { createRandom } from '../faults/random';
import { createTenants } from '../faults/tenants';
import { verifyDatabase } from '../faults/verify';
import { type Haproxy, startHaproxy } from '../haproxy/haproxy';
import { makeCertificate } from '../../support/certificate';
import { parseWholeNumber } from '../../support/command-line';
import {
  build,
  freePort,
  killLeftoverProcesses,
  root,
  RunningService,
  temporaryFolder,
} from '../../support/program';
import { until } from '../../support/until';
import { withoutRateLimits } from '../../support/without-rate-limits';
import { type Seen, startLoad } from './load';
import { startBehindPgBouncer, startCitus, startPostgres } from './server';
import type { Query } from '../faults/journal/check';
import { randomPepper as pepper } from '../../support/pepper';

/**
 * Two processes of the service as shipped behind a real haproxy with the recommended configuration,
 * and two that deliver webhooks. They are restarted one after another, as a deployment does, while
 * clients send requests.
 */

/** One process of the service, which the next one on the same port replaces. */
interface Place {
  name: 'service1' | 'service2';
  settings: Record<string, string>;
  service: RunningService;
}

const timesUp = (haproxy: Haproxy, name: string): number =>
  haproxy.log().split(`Server service/${name} is UP`).length - 1;

/**
 * Restarts one process as an operator does: SIGTERM, wait for its exit, start the next, wait until
 * haproxy uses it.
 */
async function restart(place: Place, haproxy: Haproxy): Promise<void> {
  const before = timesUp(haproxy, place.name);
  const exitCode = await place.service.signal('SIGTERM');
  if (exitCode !== 0)
    throw new Error(`${place.name} ended with ${exitCode}:\n${place.service.output.slice(-2_000)}`);
  place.service = await RunningService.start(place.settings);
  await until(`haproxy uses ${place.name}`, () => timesUp(haproxy, place.name) > before);
}

/** One process of `npm run deliver`. */
interface Deliverer {
  settings: Record<string, string>;
  process: RunningService;
}

async function startDeliverer(settings: Record<string, string>): Promise<Deliverer> {
  return { settings, process: await RunningService.start(settings, 'deliver') };
}

async function restartDeliverer(deliverer: Deliverer): Promise<void> {
  const exitCode = await deliverer.process.signal('SIGTERM');
  if (exitCode !== 0)
    throw new Error(`a delivery process ended with ${exitCode}:\n${deliverer.process.output.slice(-2_000)}`);
  deliverer.process = await RunningService.start(deliverer.settings, 'deliver');
}

async function countIn(query: Query): Promise<{ created: number; completed: number }> {
  const rows = await query<{ created: number; completed: number }>(
    `SELECT count(*)::int AS created, count(*) FILTER (WHERE status = 'completed')::int AS completed FROM transactions`,
  );
  return rows[0] ?? { created: 0, completed: 0 };
}

function describe(restarts: number, seconds: number, seen: Seen): string {
  const { create, complete, read } = seen.responses;
  return [
    `${restarts} rolling restarts of two processes of the service and two delivery processes (${4 * restarts} in all) in ${Math.round(seconds)} s`,
    `${create} creates, ${complete} completions, ${read} reads over ${seen.connections} connections of the clients`,
    `slowest response ${Math.round(seen.slowestMs)} ms`,
    `${seen.failures.length} failed requests`,
  ].join('\n');
}

async function main(options: {
  restarts: number;
  clients: number;
  everyMs: number;
  citus?: true;
  pgbouncer?: true;
}): Promise<void> {
  await build();
  const folder = temporaryFolder();
  const stops: (() => unknown)[] = [
    () => {
      folder.remove();
    },
  ];
  try {
    const certificate = makeCertificate(folder.path);
    const startServer = options.pgbouncer ? startBehindPgBouncer : startPostgres;
    const server = await (options.citus ? startCitus() : startServer(folder.path));
    stops.push(() => server.stop());
    const tenants = await createTenants(server.ownerUrl, pepper);
    const observer = new Client(sessionConfig({ connectionString: server.superuserUrl }));
    await observer.connect();
    stops.push(() => observer.end());
    const query: Query = async (text, values) => (await observer.query(text, values)).rows as never;
    const deliverySettings = async (keys: string): Promise<Record<string, string>> => ({
      // Production delivers to public addresses only.
      NODE_ENV: 'development',
      ...server.settings,
      CREDENTIAL_PEPPERS: `1:${pepper}`,
      PUBLIC_BASE_URL: 'https://api.example.org',
      PORT: String(await freePort()),
      WEBHOOK_DESTINATIONS: 'loopback',
      WEBHOOK_SECRET_KEYS: keys,
    });
    const start = async (name: Place['name']): Promise<Place> => {
      const settings = {
        NODE_ENV: 'production',
        ...server.settings,
        CREDENTIAL_PEPPERS: `1:${pepper}`,
        PUBLIC_BASE_URL: 'https://api.example.org',
        TRUSTED_PROXIES: '127.0.0.1/32',
        PORT: String(await freePort()),
        // Two processes on one machine.
        METRICS_PORT: 'off',
        DELIVERY: 'off',
        ...withoutRateLimits,
      };
      return { name, settings, service: await RunningService.start(settings) };
    };
    stops.push(killLeftoverProcesses);
    const places = [await start('service1'), await start('service2')] as const;
    const journal = new Journal();
    const receivers = await startWebhookReceivers({ query, journal, tenants, random: createRandom(1) });
    stops.push(() => receivers.stop());
    const keys = `1:${randomBytes(32).toString('hex')}`;
    const deliverers = [
      await startDeliverer(await deliverySettings(keys)),
      await startDeliverer(await deliverySettings(keys)),
    ] as const;
    const ports = [Number(places[0].settings['PORT']), Number(places[1].settings['PORT'])] as const;
    const haproxy = await startHaproxy(folder.path, ports, certificate);
    stops.push(() => haproxy.stop());

    const load = startLoad({ port: haproxy.httpsPort, ca: certificate.ca, tenants, ...options });
    const startedAt = performance.now();
    let problem: string | undefined;
    let shown = 0;
    try {
      await until('the clients have sent requests', () => load.seen.responses.read >= 20 * options.clients);
      for (let number = 1; number <= options.restarts; number += 1) {
        for (const [index, place] of places.entries()) {
          await restart(place, haproxy);
          const deliverer = deliverers[index];
          if (deliverer) await restartDeliverer(deliverer);
        }
        console.error(
          `restart ${number} of ${options.restarts}: ${load.seen.failures.length} failed requests so far`,
        );
        // Failures are printed at once, because the run may be long.
        for (const failure of load.seen.failures.slice(shown, shown + 5)) console.error(`  ${failure}`);
        shown = load.seen.failures.length;
      }
      await delay(500);
    } catch (error) {
      problem = error instanceof Error ? (error.stack ?? error.message) : 'failed';
    }
    await load.stop();

    const { seen } = load;
    console.log(describe(options.restarts, (performance.now() - startedAt) / 1_000, seen));
    const counts = await countIn(query);
    await receivers.check(query);
    const found = await verifyDatabase(server.superuserUrl);
    found.push(...journal.violations.map(({ kind, what }) => `${kind}: ${what}`));
    if (seen.failures.length === 0 && counts.created !== seen.responses.create)
      found.push('contributions without a response');
    if (counts.completed < seen.responses.complete) found.push('acknowledged completions are missing');
    console.log(
      `${counts.created} contributions in the database, ${counts.completed} completed; verify: ${found.length === 0 ? 'nothing is wrong' : found.join('; ')}`,
    );
    console.log(
      `${receivers.acceptedCount()} events delivered in order, ${receivers.repeatCount()} repeats with the same id`,
    );
    if (seen.failures.length > 0 || found.length > 0 || problem !== undefined) {
      const log = path.join(root, 'reports', 'rolling-restarts.log');
      mkdirSync(path.dirname(log), { recursive: true });
      writeFileSync(log, [...seen.failures, problem ?? '', haproxy.log()].join('\n'));
      console.error([...seen.failures.slice(0, 20), problem ?? ''].join('\n'));
      console.error(`The logs, including haproxy's, are in ${log}`);
      process.exitCode = 1;
    }
  } finally {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  }
}

void new Command('npm run test:suite rolling-restarts --')
  .description(
    'Restarts two processes of the service behind a real haproxy, and two that deliver webhooks, while clients create, complete and read. Counts failed requests and compares what was delivered with the feeds.',
  )
  .option('--restarts <number>', 'number of restarts of each process', parseWholeNumber, 100)
  .option('--clients <number>', 'number of clients, each with one keep-alive connection', parseWholeNumber, 8)
  .option('--every-ms <number>', 'how often each client creates, completes and reads', parseWholeNumber, 200)
  .option('--citus', 'the database is a Citus cluster of three nodes')
  .option('--pgbouncer', 'the processes connect through PgBouncer')
  .action(main)
  .parseAsync();
