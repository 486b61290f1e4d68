import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { Client as PostgresClient } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { migrateDown, migrateUp } from '../../src/db/migrations/migrator';
import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';

/**
 * Migrations that need an ACCESS EXCLUSIVE lock on the busiest tables, while clients create,
 * complete and read and a long transaction holds its locks. No request may fail.
 */
const writers = 8;
const readers = 4;

let service: TestService;
let client: Client;
let projectId: number;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  // Default settings, except for the rate limits.
  service = await startService();
  client = (await service.addCompany()).production;
  projectId = await addProject(service.database.admin);
});
afterAll(async () => {
  agent.destroy();
  await service.stop();
});

/** The clients' results. Any unexpected response is a failure. */
const seen = { responses: 0, failures: [] as string[] };

async function send(method: string, path: string, expected: number, body?: object): Promise<string> {
  const content = body === undefined ? '' : JSON.stringify(body);
  const outgoing = request({
    host: '127.0.0.1',
    port: service.port,
    agent,
    method,
    path: `/company/integration/${path}`,
    headers: {
      'API-Key': client.apiKey,
      'API-Secret': client.apiSecret,
      'Content-Length': Buffer.byteLength(content),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
  });
  outgoing.end(content);
  const [incoming] = (await once(outgoing, 'response')) as [AsyncIterable<Buffer> & { statusCode: number }];
  let text = '';
  for await (const chunk of incoming) text += chunk.toString();
  seen.responses += 1;
  if (incoming.statusCode !== expected)
    seen.failures.push(`${method} ${path}: ${incoming.statusCode} ${text}`);
  return text;
}

async function write(number: number): Promise<void> {
  const body = { project_id: projectId, amount: '1.00', user_hash: `user-${number % 50}` };
  const created = await send('PUT', 'contributions/create', 201, body);
  const { transaction_id: id } = JSON.parse(created) as { transaction_id?: string };
  if (id === undefined) return;
  await send('PUT', `contributions/${id}`, 200, { status: 'completed' });
  await send('GET', `contributions/${id}`, 200);
}

async function read(number: number): Promise<void> {
  await send('GET', `projects-stories?user_hash=user-${number % 50}`, 200);
  await send('GET', 'contributions?limit=5', 200);
}

/** Runs work while clients send requests, and stops them when it is done. */
async function underLoad(work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const busy = async (once_: (number: number) => Promise<void>): Promise<void> => {
    for (let number = 0; !isOver; number += 1) {
      await once_(number).catch((error: unknown) => seen.failures.push(String(error)));
    }
  };
  const clients = [
    ...Array.from({ length: writers }, () => busy(write)),
    ...Array.from({ length: readers }, () => busy(read)),
  ];
  try {
    await until('they are at work', () => seen.responses > 100);
    await work();
  } finally {
    isOver = true;
    await Promise.all(clients);
  }
}

const migrations = {
  tableName: 'load_migrations',
  migrationSource: {
    getMigrations: () => Promise.resolve(['columns', 'users']),
    getMigrationName: (name: string) => name,
    getMigration: (name: string) =>
      Promise.resolve(
        name === 'columns'
          ? {
              up: (trx: { raw: (sql: string) => Promise<unknown> }) =>
                trx.raw('ALTER TABLE transactions ADD COLUMN note text'),
              down: (trx: { raw: (sql: string) => Promise<unknown> }) =>
                trx.raw('ALTER TABLE transactions DROP COLUMN note'),
            }
          : {
              up: (trx: { raw: (sql: string) => Promise<unknown> }) =>
                trx.raw(`ALTER TABLE users ADD COLUMN origin text NOT NULL DEFAULT 'app'`),
              down: (trx: { raw: (sql: string) => Promise<unknown> }) =>
                trx.raw('ALTER TABLE users DROP COLUMN origin'),
            },
      ),
  },
};

test('migrations that wait for a long transaction fail no request', async () => {
  const lines: string[] = [];
  const options = {
    connectionString: service.database.ownerUrl,
    onProgress: (line: string) => void lines.push(line),
    migrations,
  };
  const attempts = (): number => lines.filter((line) => line.includes('did not get a lock')).length;
  const report = new PostgresClient(sessionConfig({ connectionString: service.database.adminUrl }));
  await report.connect();
  await underLoad(async () => {
    // A long report that reads both tables.
    await report.query('BEGIN; SELECT count(*) FROM transactions; SELECT count(*) FROM users');
    const running = migrateUp(options);
    await until('several attempts have failed', () => attempts() >= 4);
    await report.query('COMMIT');
    expect((await running).migrations).toEqual(['columns', 'users']);
    // Its default fills every row with data.
    expect(await migrateDown(options, new Set(['users.origin']))).toBe('users');
    expect(await migrateDown(options)).toBe('columns');
    await delay(200);
  });
  await report.end();

  expect(seen.failures).toEqual([]);
  expect(seen.responses).toBeGreaterThan(200);
  const { rows } = await service.database.admin.query<{ completed: number; pending: number }>(
    `SELECT count(*) FILTER (WHERE status = 'completed')::int AS completed,
            count(*) FILTER (WHERE status = 'pending')::int AS pending FROM transactions`,
  );
  expect(rows[0]?.completed).toBeGreaterThan(30);
  expect(rows[0]?.pending).toBe(0);
});
