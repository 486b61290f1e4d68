import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { LoadProcess } from '../load/load-process';
import { processorSeconds, residentBytes } from '../measure/processor-time';
import { addPending, base, type RequestWorld } from '../operations';
import { readOptions, usualPoolSize } from '../options';
import { requestsOf } from '../overload/cast';
import { service } from '../programs/contestants';
import { freePort, RunningProgram } from '../programs/program';
import { type Figure, figure, reportFigures } from '../results';
import { runMain } from '../say';
import { busyShare, describeMachine } from '../world/machine';
import { openServer, queryAt } from '../world/server';
import { createTenant, type Tenant } from '../world/tenant';
import { openWorld } from '../world/world';

const help = `npm run bench -- statements [options]

Uploads bank statements of 100,000 entries: alone, and beside 20 creates per second of another company.`;

const entries = 100_000;
const createsPerSecond = 20;
const mostSeconds = 20;
const mostMemoryMib = 96;
const mostCreateP99 = 100;
const mib = 1024 * 1024;
const idsAtOnce = 10_000;

const entryCents = 1_000;

/** A BAI2 statement of one day that pays these contributions. XML would be too large. */
function statementOf(ids: readonly string[], day: string): string {
  const date = day.replaceAll('-', '').slice(2);
  const total = ids.length * entryCents * 2;
  return [
    `01,BANK,CUSTOMER,${date},0600,1,,,2/`,
    `02,CUSTOMER,BANK,1,${date},,USD,2/`,
    `03,990000003000,USD,010,0,,,015,${ids.length * entryCents},,/`,
    ...ids.map((id) => `16,142,${entryCents},Z,R${id},${id},/`),
    `49,${total},${ids.length + 2}/`,
    `98,${total},1,${ids.length + 4}/`,
    `99,${total},1,${ids.length + 6}/`,
    '',
  ].join('\n');
}

async function statementFor(world: RequestWorld, day: string): Promise<string> {
  const ids: string[] = [];
  while (ids.length < entries) ids.push(...(await addPending(world, idsAtOnce)));
  await relayed(world);
  return statementOf(ids.slice(0, entries), day);
}

/** Waits until the events of the contributions are in the feeds, so that only the file is work. */
async function relayed({ ownerUrl }: RequestWorld): Promise<void> {
  const queued = 'SELECT FROM event_queue LIMIT 1';
  while ((await queryAt(ownerUrl, queued)).length > 0) await delay(200);
}

interface Measured {
  uploadSeconds: number;
  totalSeconds: number;
  /** Above the memory before the upload. */
  memoryMib: number;
  /** CPU seconds of the service's process. */
  processorSeconds: number;
}

interface FileBody {
  file_id: string;
  state: string;
}

/** A range without contributions. */
const none = '?from=2000-01-01T00:00:00Z&to=2000-01-02T00:00:00Z';

/** Uploads a statement, and waits until its entries are matched. */
async function measure(
  { url, processId }: RunningProgram,
  { tenant }: RequestWorld,
  file: string,
): Promise<Measured> {
  const before = residentBytes(processId) ?? 0;
  const processorBefore = processorSeconds(processId) ?? NaN;
  const state = { most: before, isRunning: true };
  const watching = (async () => {
    while (state.isRunning) {
      state.most = Math.max(state.most, residentBytes(processId) ?? 0);
      await delay(50);
    }
  })();
  try {
    const times = await uploadAndMatch(url, tenant, file);
    return {
      ...times,
      memoryMib: (state.most - before) / mib,
      processorSeconds: (processorSeconds(processId) ?? NaN) - processorBefore,
    };
  } finally {
    state.isRunning = false;
    await watching;
  }
}

async function uploadAndMatch(
  url: string,
  tenant: Tenant,
  file: string,
): Promise<Pick<Measured, 'uploadSeconds' | 'totalSeconds'>> {
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  const response = await fetch(`${url}${base}/statements`, {
    method: 'POST',
    headers: { ...tenant.headers, 'Content-Type': 'text/plain' },
    body: file,
  });
  const text = await response.text();
  if (response.status !== 202) throw new Error(`status ${response.status}: ${text.slice(0, 300)}`);
  const uploadSeconds = seconds();
  const { file_id: fileId } = JSON.parse(text) as FileBody;
  const get = async <Body>(target: string): Promise<Body> =>
    (await (await fetch(`${url}${base}/${target}`, { headers: tenant.headers })).json()) as Body;
  for (;;) {
    const { state } = await get<FileBody>(`statements/${fileId}`);
    if (!['received', 'reading', 'read'].includes(state)) throw new Error(`the file is ${state}`);
    const { days_to_compare: days } = await get<{ days_to_compare: number }>(`reconciliation/summary${none}`);
    if (state === 'read' && days === 0) break;
    await delay(200);
  }
  return { uploadSeconds, totalSeconds: seconds() };
}

/** While creates run, matching may take longer than the limit, because creates matter more. */
const figuresOf = (situation: string, measured: Measured, isAlone: boolean): Figure[] => [
  figure(
    `seconds from the upload until all ${entries} entries are matched, ${situation}`,
    measured.totalSeconds,
    '≤',
    isAlone ? mostSeconds : Infinity,
  ),
  figure(`seconds of the upload, ${situation}`, measured.uploadSeconds, '≤', Infinity),
  figure(`CPU seconds of the service, ${situation}`, measured.processorSeconds, '≤', Infinity),
  figure(`MiB more memory, ${situation}`, measured.memoryMib, '≤', mostMemoryMib),
];

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
    const other: RequestWorld = { ownerUrl: world.ownerUrl, tenant: await createTenant(world.ownerUrl, 2) };
    const program = await RunningProgram.start(
      service.command({
        databaseUrl: serviceUrl,
        tenant: world.tenant,
        poolSize: options.poolSize ?? usualPoolSize,
        port: await freePort(),
        logFile: path.join(folder, 'service.log'),
        fixedBodies: {},
      }),
    );
    try {
      const alone = await measure(program, world, await statementFor(world, '2026-11-02'));
      const file = await statementFor(world, '2026-11-03');
      const seconds = Math.max(options.seconds, Math.ceil(alone.totalSeconds));
      const creates = openLoop.run({
        url: program.url,
        seconds,
        connections: 20,
        requests: await requestsOf('create', other, seconds * createsPerSecond),
        once: true,
        requestsPerSecond: createsPerSecond,
      });
      const beside = await measure(program, world, file);
      const { due, sinceDue } = await creates;
      const { count = 0, p50 = NaN, p99 = NaN } = sinceDue['201'] ?? {};
      const figures = [
        ...figuresOf('alone', alone, true),
        ...figuresOf(`beside ${createsPerSecond} creates/s`, beside, false),
        figure('creates that failed', due - count, '≤', 0),
        figure('ms of a create, p50', p50, '≤', mostCreateP99),
        figure('ms of a create, p99', p99, '≤', mostCreateP99),
      ];
      if (!reportFigures('statements', { machine, seconds, figures })) process.exitCode = 1;
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
