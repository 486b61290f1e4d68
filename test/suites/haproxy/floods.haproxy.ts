import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { createOperatorDatabase } from '../../../src/db/operator-database';
import { createOperations } from '../../../src/operator/commands/operations';
import { drawKeyPair, type KeyPair } from '../../../src/core/key-pairs/credentials';
import { addProject } from '../../support/catalogue';
import { type Certificate, makeCertificate } from '../../support/certificate';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { build, killLeftoverProcesses, RunningService, temporaryFolder } from '../../support/program';
import { randomPepper as pepper } from '../../support/pepper';
import { publicBaseUrl } from '../../support/service';
import { until } from '../../support/until';
import { type Haproxy, startHaproxy } from './haproxy';

/**
 * An unauthenticated client or a partner floods two processes of the service behind a real haproxy
 * with the recommended configuration. Meanwhile a bank completes and a partner creates, each from a
 * different address.
 */
const create = '/company/integration/contributions/create';
const addresses = {
  stranger: '127.0.0.66',
  otherStranger: '127.0.0.67',
  flooder: '127.0.0.68',
  bank: '127.0.0.11',
  partner: '127.0.0.12',
};
const perSecond = 20;
const seconds = 8;

// Several programs wait for each other, possibly on a slow machine.

let folder: ReturnType<typeof temporaryFolder>;
let certificate: Certificate;
let database: TestDatabase;
let services: RunningService[];
let haproxy: Haproxy;
let projectId: number;
let bank: KeyPair;
let partner: KeyPair;
let flooder: KeyPair;

beforeAll(async () => {
  await build();
  folder = temporaryFolder();
  certificate = makeCertificate(folder.path);
  database = await createTestDatabase();
  projectId = await addProject(database.admin);
  const operatorDatabase = createOperatorDatabase(database.ownerUrl);
  const peppers = new Map([[1, Buffer.from(pepper)]]);
  const { companies, keyPairs } = createOperations(operatorDatabase, peppers);
  const issue = async (company: string): Promise<KeyPair> => {
    await companies.create(company);
    const scopes = ['contributions:create', 'contributions:complete'] as const;
    return keyPairs.issue({ company, kind: 'production', scopes, expiresAt: undefined });
  };
  [bank, partner, flooder] = [await issue('Bank'), await issue('Partner'), await issue('Flooder')];
  await operatorDatabase.close();
  const settings = {
    NODE_ENV: 'production',
    DATABASE_URL: database.url,
    DATABASE_TIMEOUTS: 'connection',
    CREDENTIAL_PEPPERS: `1:${pepper}`,
    PUBLIC_BASE_URL: publicBaseUrl,
    TRUSTED_PROXIES: '127.0.0.1/32',
    LOG_LEVEL: 'warn',
  };

  services = [await start(settings), await start(settings)];
  const [port1 = 0, port2 = 0] = services.map(({ baseUrl }) => Number(new URL(baseUrl).port));
  haproxy = await startHaproxy(folder.path, [port1, port2], certificate);
  await until(
    'haproxy passes requests on',
    async () => (await send(partner, addresses.partner, create, {})) === 400,
  );
});
afterAll(async () => {
  await haproxy.stop();
  await killLeftoverProcesses();
  await database.drop();
  folder.remove();
});

/** A process of the service; its startup line has level info. */
const start = (settings: Record<string, string>): Promise<RunningService> =>
  RunningService.start({ ...settings, LOG_LEVEL: 'info' });

const agents = new Map<string, Agent>();

interface HttpResponse {
  status: number | undefined;
  body: Record<string, unknown>;
}

async function exchange(
  { apiKey, apiSecret }: KeyPair,
  localAddress: string,
  target: string,
  body: object,
): Promise<HttpResponse> {
  const agent = agents.get(localAddress) ?? new Agent({ keepAlive: true });
  agents.set(localAddress, agent);
  const content = JSON.stringify(body);
  const outgoing = request({
    host: '127.0.0.1',
    servername: 'localhost',
    port: haproxy.httpsPort,
    ca: certificate.ca,
    localAddress,
    agent,
    method: 'PUT',
    path: target,
    timeout: 10_000,
    headers: {
      'API-Key': apiKey,
      'API-Secret': apiSecret,
      'Content-Type': 'application/json',
      'Content-Length': content.length,
    },
  });
  outgoing.on('timeout', () => outgoing.destroy(new Error('no response in time')));
  outgoing.end(content);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return { status: incoming.statusCode, body: JSON.parse(text) as Record<string, unknown> };
}

const send = async (...parameters: Parameters<typeof exchange>): Promise<number | undefined> =>
  (await exchange(...parameters)).status;

const contribution = () => ({ project_id: projectId, amount: '1.00', user_hash: 'user' });

/** Creates this number of the bank's own pending contributions. */
async function pending(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { status, body } = await exchange(bank, addresses.bank, create, contribution());
    if (status !== 201) throw new Error(`${String(status)} ${JSON.stringify(body)}`);
    ids.push(String(body['transaction_id']));
  }
  return ids;
}

/** Repeats an action at a steady rate. Returns the share of expected outcomes, and the others. */
async function steadily(
  count: number,
  expected: number,
  work: (index: number) => Promise<number | undefined>,
) {
  const outcomes: Promise<string>[] = [];
  for (let index = 0; index < count; index += 1) {
    outcomes.push(
      work(index).then(
        (status) => String(status),
        (error: unknown) => String(error),
      ),
    );
    await delay(1_000 / perSecond);
  }
  const all = await Promise.all(outcomes);
  const others = all.filter((outcome) => outcome !== String(expected));
  return { share: 1 - others.length / count, others: [...new Set(others)] };
}

interface Flood {
  connections: number;
  depth: number;
  head: string;
  body?: string;
}

interface FloodReport {
  statuses: Record<string, number>;
  /** Responses that haproxy itself sent. */
  ofProxy: number;
  opened: number;
  refused: number;
}

async function under(
  flood: Flood,
  work: () => Promise<unknown>,
  { localAddress = addresses.stranger, warmUpMs = 1_000 } = {},
): Promise<FloodReport> {
  const parameters = JSON.stringify({ ...flood, port: haproxy.httpsPort, localAddress });
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [
    path.join(__dirname, 'flood.mjs'),
    parameters,
  ]);
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
  });
  const exited = once(child, 'exit');
  await delay(warmUpMs);
  await work();
  child.stdin.end();
  await exited;
  return JSON.parse(output) as FloodReport;
}

const withoutCredentials = `PUT ${create} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0`;
const unknown = drawKeyPair('production');
const withUnknownKey = `${withoutCredentials}\r\nAPI-Key: ${unknown.apiKey}\r\nAPI-Secret: ${unknown.apiSecret}`;

type Outcome = Record<'completions' | 'creates', Awaited<ReturnType<typeof steadily>>>;

/**
 * Prepares the bank's contributions.
 *
 * @returns a function that sends the bank's completions and the partner's creates concurrently
 */
async function prepareClients(): Promise<() => Promise<Outcome>> {
  const count = perSecond * seconds;
  const ids = await pending(count);
  return async () => {
    const [completions, creates] = await Promise.all([
      steadily(count, 200, (index) =>
        send(bank, addresses.bank, `/company/integration/contributions/${ids[index]!}`, {
          status: 'completed',
        }),
      ),
      steadily(count, 201, () => send(partner, addresses.partner, create, contribution())),
    ]);
    return { completions, creates };
  };
}

function expectServed({ completions, creates }: Outcome): void {
  expect(completions.others.slice(0, completions.share >= 0.99 ? 0 : 5)).toEqual([]);
  expect(creates.others.slice(0, creates.share >= 0.99 ? 0 : 5)).toEqual([]);
}

test.each<[string, Flood]>([
  [
    '50 connections with 20 requests each, without credentials',
    { connections: 50, depth: 20, head: withoutCredentials },
  ],
  [
    '500 connections with a request each, without credentials',
    { connections: 500, depth: 1, head: withoutCredentials },
  ],
  [
    '50 connections with 20 requests each, with an unknown key',
    { connections: 50, depth: 20, head: withUnknownKey },
  ],
])(
  'during an unauthenticated flood over %s, a bank completes and a partner creates',
  async (_what, flood) => {
    let outcome: Outcome | undefined;
    const prepared = await prepareClients();
    const report = await under(flood, async () => {
      outcome = await prepared();
    });
    expectServed(outcome!);
    expect(report.ofProxy).toBeGreaterThan(0);
  },
);

describe('during a flood of a partner that has succeeded', () => {
  beforeAll(async () => {
    expect(await send(flooder, addresses.flooder, create, contribution())).toBe(201);
  });

  test.each([
    [50, 20],
    [100, 1],
  ])('on %d connections with %d requests each, others are served', async (connections, depth) => {
    const body = JSON.stringify(contribution());
    const head =
      `PUT ${create} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `API-Key: ${flooder.apiKey}\r\nAPI-Secret: ${flooder.apiSecret}\r\nContent-Length: ${body.length}`;
    let outcome: Outcome | undefined;
    const prepared = await prepareClients();
    const report = await under(
      { connections, depth, head, body },
      async () => {
        outcome = await prepared();
      },
      { localAddress: addresses.flooder },
    );
    expectServed(outcome!);
    const responses = Object.values(report.statuses).reduce((sum, count) => sum + count, 0);
    expect(responses).toBeGreaterThan(perSecond * seconds);
  });
});

test('while two unauthenticated clients send 1,300 endless bodies, a bank completes and a partner creates', async () => {
  const flood = {
    connections: 650,
    depth: 1,
    head: withUnknownKey.replace(/Content-Length: 0/, 'Content-Length: 500'),
  };
  let outcome: Outcome | undefined;
  const prepared = await prepareClients();
  const warmUpMs = 5_000;
  await under(
    flood,
    () =>
      under(
        flood,
        async () => {
          outcome = await prepared();
        },
        { localAddress: addresses.otherStranger, warmUpMs },
      ),
    { warmUpMs: 0 },
  );
  expectServed(outcome!);
});
