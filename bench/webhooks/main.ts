import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { makeCertificate } from '../../test/support/certificate';
import { LoadProcess } from '../load/load-process';
import { backendTimes, secondsBetween } from '../measure/backends';
import { processorSeconds } from '../measure/processor-time';
import { addPending } from '../operations';
import { readOptions, usualPoolSize } from '../options';
import { watch } from '../overload/watch';
import { service } from '../programs/contestants';
import { freePort, RunningProgram } from '../programs/program';
import { type Figure, figure as hold, reportFigures } from '../results';
import { runMain, say } from '../say';
import { busyShare, describeMachine } from '../world/machine';
import { openServer, queryAt } from '../world/server';
import { createTenant, type Tenant } from '../world/tenant';
import { openWorld } from '../world/world';
import { arrived, type Bench, createAtRate, until } from './bench';
import { addEndpoints, change, createEndpoint, removeEndpoints } from './endpoints';
import { type ReceiverAddresses, ReceiverProcess } from './receiver-process';
import { besideReplay } from './replay';

const help = `npm run bench -- webhooks [options]

Delivers events over https to receivers in another process: 200 per second, a backlog, 20 per second beside 100
endpoints that are down, and 50 per second beside a replay of 1,000,000 events. With --seconds 5100, the replay ends.`;

const steadyPerSecond = 200;
const backlogEvents = 20_000;
const slowEvents = 3_000;
const besideDeadPerSecond = 20;
const deadEnvironments = 10;
const deadOfEnvironment = 10;
const deadEvents = 200;
const megabyte = 1024 * 1024;

/** Creates contributions at a rate, with one endpoint. Returns what arrived. */
async function deliverAtRate(bench: Bench, requestsPerSecond: number, place: string) {
  const { world, program, receiver, addresses } = bench;
  const id = await createEndpoint(program.url, world.tenant, `https://127.0.0.1:${addresses.port}${place}`);
  await receiver.forget();
  const created = await createAtRate(bench, requestsPerSecond);
  const arrivals = await arrived(bench, place, created, 30);
  await change(program.url, world.tenant, id, 'disable');
  return { created, ...arrivals };
}

async function steady(bench: Bench): Promise<Figure[]> {
  const { created, delay: found } = await deliverAtRate(bench, steadyPerSecond, '/steady');
  say(`${steadyPerSecond} events/s: ${JSON.stringify(found)}`);
  const at = `at ${steadyPerSecond} events/s`;
  return [
    hold(`deliveries beyond the ${created} events, ${at}`, found.count - created, '≤', 0),
    hold(`ms from commit to first attempt, p50, ${at}`, found.p50, '≤', 300),
    hold(`ms from commit to first attempt, p99, ${at}`, found.p99, '≤', 2_000),
  ];
}

async function processorTimes({ adminUrl, program }: Bench) {
  const backends = await backendTimes(adminUrl);
  return {
    service: processorSeconds(program.processId) ?? NaN,
    backends: typeof backends === 'string' ? new Map<number, number>() : backends,
  };
}

/** One endpoint gets events that were recorded while it was disabled. */
async function deliverBacklog(bench: Bench, place: string, least: number): Promise<{ perSecond: number }> {
  const { adminUrl, world, program, receiver, addresses } = bench;
  const id = await createEndpoint(program.url, world.tenant, `https://127.0.0.1:${addresses.port}${place}`);
  await change(program.url, world.tenant, id, 'disable');
  let count = 0;
  while (count < least) count += (await addPending(world, Math.min(least, 5_000))).length;
  const isRelayed = async (): Promise<boolean> =>
    (await queryAt(adminUrl, 'SELECT FROM event_queue LIMIT 1')).length === 0;
  await until('the events are in the feed', isRelayed, 60);
  await receiver.forget();
  const before = await processorTimes(bench);
  await change(program.url, world.tenant, id, 'enable');
  const { seconds } = await arrived(bench, place, count, 120);
  const after = await processorTimes(bench);
  const each = (total: number): string => `${((total * 1_000) / count).toFixed(3)} ms`;
  const ofService = each(after.service - before.service);
  const ofDatabase = each(secondsBetween(before.backends, after.backends));
  say(
    `backlog of ${place}: ${count} in ${seconds} s, CPU each: ${ofService} service, ${ofDatabase} database`,
  );
  return { perSecond: count / seconds };
}

async function backlog(bench: Bench): Promise<Figure[]> {
  const { perSecond } = await deliverBacklog(bench, '/backlog', backlogEvents);
  const [stored] = await queryAt<{ bytes: number }>(
    bench.adminUrl,
    `SELECT sum(pg_total_relation_size(oid))::float8 / (SELECT sum(cardinality(statuses)) FROM webhook_deliveries) AS bytes
       FROM pg_class WHERE relkind = 'r' AND relname = 'webhook_deliveries'`,
  );
  return [
    hold('deliveries per second of one endpoint with a backlog', perSecond, '≥', 1_000),
    hold('bytes of storage per delivery of a backlog', stored?.bytes ?? NaN, '≤', 30),
  ];
}

/** With 4 requests at a time, at most 200 per second are possible. */
async function slow(bench: Bench): Promise<Figure[]> {
  const { perSecond } = await deliverBacklog(bench, '/slow', slowEvents);
  return [hold('deliveries per second, if 1 % of the responses take 2 s', perSecond, '≥', 100)];
}

/** URLs of endpoints that are down, in four ways. */
const deadUrls = ({ port, mutePort, refusingPort }: ReceiverAddresses): string[] =>
  Array.from({ length: deadOfEnvironment }, (_, number) => {
    const [of, path] = [
      [port, 'silent'],
      [mutePort, 'mute'],
      [port, 'silent'],
      [refusingPort, 'refusing'],
      [port, 'failing'],
    ][number % 5] as [number, string];
    return `https://127.0.0.1:${of}/${path}/${number}`;
  });

async function besideDead(bench: Bench, dead: readonly Tenant[]): Promise<Figure[]> {
  const { adminUrl, world } = bench;
  for (const tenant of dead) await addPending({ ownerUrl: world.ownerUrl, tenant }, deadEvents);
  for (const tenant of dead) await addEndpoints(adminUrl, tenant, deadUrls(bench.addresses));
  await delay(3_000);
  const { delay: found } = await deliverAtRate(bench, besideDeadPerSecond, '/beside');
  say(`beside ${dead.length * deadOfEnvironment} endpoints that are down: ${JSON.stringify(found)}`);
  const beside = `beside ${dead.length * deadOfEnvironment} endpoints that are down`;
  return [
    hold(`ms from commit to first attempt, p99, ${beside}`, found.p99, '≤', 2_000),
    hold(`ms from commit to first attempt, longest, ${beside}`, found.max, '≤', 2_000),
  ];
}

/** Returns the figures of the parts whose names are given; of all without names. */
async function measure(bench: Bench, dead: readonly Tenant[], names: readonly string[]): Promise<Figure[]> {
  const parts: Record<string, () => Promise<Figure[]>> = {
    steady: () => steady(bench),
    backlog: () => backlog(bench),
    slow: () => slow(bench),
    replay: () => besideReplay(bench),
    dead: () => besideDead(bench, dead),
  };
  const figures: Figure[] = [];
  const { watched } = await watch(
    bench.program.processId,
    bench.metricsUrl,
    (async () => {
      for (const [name, part] of Object.entries(parts)) {
        if (names.length > 0 && !names.includes(name)) continue;
        figures.push(...(await part()));
        await removeEndpoints(bench.adminUrl);
      }
    })(),
  );
  const memory = Math.max(...watched.residentBytes) / megabyte;
  return [...figures, hold('MiB of resident memory, highest', memory, '≤', 200)];
}

runMain(async () => {
  const options = readOptions(help, { seconds: 20, pool: usualPoolSize, scale: 0.001, seed: 1, shapes: '' });
  if (!options) return;
  const { seconds } = options;
  const busy = await busyShare();
  const server = await openServer();
  const folder = mkdtempSync(path.join(tmpdir(), 'contribution-bench-'));
  const openLoop = LoadProcess.openLoop();
  const receiver = new ReceiverProcess();
  try {
    const machine = await describeMachine(server, busy);
    const { world, serviceUrl, adminUrl, close } = await openWorld(server, options);
    const dead: Tenant[] = [];
    while (dead.length < deadEnvironments) dead.push(await createTenant(world.ownerUrl, dead.length + 2));
    const { certificateFile, privateKeyFile } = makeCertificate(folder);
    const addresses = await receiver.start(certificateFile, privateKeyFile);
    const metricsPort = await freePort();
    const command = service.command({
      databaseUrl: serviceUrl,
      tenant: world.tenant,
      poolSize: options.poolSize ?? usualPoolSize,
      port: await freePort(),
      logFile: path.join(folder, 'service.log'),
      fixedBodies: {},
    });
    const environment = {
      ...command.environment,
      // Production delivers to public addresses only.
      NODE_ENV: 'development',
      WEBHOOK_DESTINATIONS: 'loopback',
      WEBHOOK_SECRET_KEYS: `1:${'k'.repeat(32)}`,
      NODE_EXTRA_CA_CERTS: certificateFile,
      METRICS_PORT: String(metricsPort),
    };
    const program = await RunningProgram.start({ ...command, environment });
    try {
      const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
      const bench = { adminUrl, world, program, metricsUrl, receiver, addresses, openLoop, seconds };
      const names = options.shapes?.filter((name) => name !== '') ?? [];
      const figures = await measure(bench, dead, names);
      if (!reportFigures('webhooks', { machine, seconds, figures })) process.exitCode = 1;
    } finally {
      await program.stop();
      await close();
    }
  } finally {
    openLoop.stop();
    receiver.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});
