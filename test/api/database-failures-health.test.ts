import type { Response } from 'supertest';

import { version } from '../../src/version';
import { addProject } from '../support/catalogue';
import { isCitus } from '../support/citus/databases';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';

const readyBody = { status: 'ready', ...(isCitus && { reachable_tenants_share: 1 }) };

let database: TestDatabase;
let proxy: PostgresProxy;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
  service = await startService({
    database,
    databaseUrl: proxy.url,
    settings: {
      DATABASE_ACQUIRE_TIMEOUT_MS: '1000',
      DATABASE_STATEMENT_TIMEOUT_MS: '1000',
      DATABASE_ANSWER_TIMEOUT_MS: '1200',
    },
  });
});
afterEach(async () => {
  proxy.restore();
  await until('it is ready', async () => (await get('ready')).status === 200);
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await database.drop();
});

const get = (what: 'live' | 'ready') => service.anonymous.raw('get', `/health/${what}`);

function expectNotReady(response: Response): void {
  expect([response.status, response.body.code, response.body.retryable]).toEqual([
    503,
    'database_unavailable',
    true,
  ]);
  expect(response.get('Content-Type')).toBe('application/problem+json');
  expect(response.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  expect(response.get('Cache-Control')).toBe('no-store');
  expect(response.text).not.toMatch(/127\.0\.0\.1|localhost|econn|select|\.ts:|node_modules/i);
}

test('a service with its database is live and ready, and says so without credentials', async () => {
  const [live, ready] = [await get('live'), await get('ready')];
  expect([live.status, live.body]).toEqual([200, { status: 'live', version }]);
  expect([ready.status, ready.body]).toEqual([200, readyBody]);
  expect([live.get('Cache-Control'), ready.get('Cache-Control')]).toEqual(['no-store', 'no-store']);
});

test('a service that started without its database is ready when the database is one server', async () => {
  const started = await startService({ database, isOneServer: false });
  try {
    const { status, body } = await started.anonymous.raw('get', '/health/ready');
    expect([status, body]).toEqual([200, readyBody]);
    const projectId = await addProject(database.admin);
    const { test: company } = await started.addCompany();
    const contribution = { project_id: projectId, amount: '5.00', user_hash: 'user' };
    await company.put('/company/integration/contributions/create', contribution).expect(201);
  } finally {
    await started.stop();
  }
});

test('concurrent readiness checks cause one database check', async () => {
  await get('ready');
  const before = proxy.roundTrips().length;
  await get('ready');
  const perLook = proxy.roundTrips().length - before;
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => get('ready').then(({ status }) => status)),
  );
  expect(new Set(responses)).toEqual(new Set([200]));
  // A health check that arrives after the first one has ended queries the database again.
  expect(proxy.roundTrips().length - before).toBeLessThanOrEqual(perLook * 10);
});

test('a service whose connections are all busy is ready', async () => {
  const busy = await startService({
    settings: { DATABASE_POOL_SIZE: '2', DATABASE_ACQUIRE_TIMEOUT_MS: '1000' },
  });
  const { test: client } = await busy.addCompany();
  const projectId = await addProject(busy.database.admin);
  const holder = await busy.database.admin.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE');
    const body = { project_id: projectId, amount: 1, user_hash: 'user' };
    const creates = Array.from({ length: 4 }, () =>
      client.put('/company/integration/contributions/create', body).then(({ status }) => status),
    );
    await until('both connections wait', async () => {
      const { rows } = await busy.database.admin.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows[0]!.count === 2;
    });
    expect((await busy.anonymous.raw('get', '/health/ready')).status).toBe(200);
    await holder.query('ROLLBACK');
    expect([201, 503]).toEqual(expect.arrayContaining(await Promise.all(creates)));
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
    await busy.stop();
  }
});

describe('a service whose database', () => {
  test('rejects connections is live, and not ready until it accepts them again', async () => {
    proxy.refuse();
    expectNotReady(await get('ready'));
    expect((await get('live')).status).toBe(200);
    proxy.restore();
    expect((await get('ready')).status).toBe(200);
  });

  test('stops responding is live and not ready', async () => {
    proxy.freeze();
    expectNotReady(await get('ready'));
    expect((await get('live')).status).toBe(200);
  });

  test('lacks the newest migration is live but not ready, and says which command to run', async () => {
    const { rows } = await database.admin.query<{ name: string; batch: number; migration_time: Date }>(
      `DELETE FROM knex_migrations WHERE id = (SELECT max(id) FROM knex_migrations)
       RETURNING name, batch, migration_time`,
    );
    const { name, batch, migration_time: at } = rows[0]!;
    const response = await get('ready');
    expectNotReady(response);
    expect(response.body.detail).toContain('npm run migrate');
    expect(response.body.detail).toContain(name);
    expect((await get('live')).status).toBe(200);
    await database.admin.query(
      'INSERT INTO knex_migrations (name, batch, migration_time) VALUES ($1, $2, $3)',
      [name, batch, at],
    );
  });

  test('was never migrated is not ready, and says which command to run', async () => {
    await database.admin.query('ALTER TABLE knex_migrations RENAME TO knex_migrations_gone');
    const response = await get('ready');
    await database.admin.query('ALTER TABLE knex_migrations_gone RENAME TO knex_migrations');
    expectNotReady(response);
    expect(response.body.detail).toContain('npm run migrate');
  });

  test('has migrations of a newer version stays ready, because they only add and a rollout takes time', async () => {
    await database.admin.query(
      `INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('29991231235959_later', 99, now())`,
    );
    const response = await get('ready');
    await database.admin.query(`DELETE FROM knex_migrations WHERE name = '29991231235959_later'`);
    expect([response.status, response.body]).toEqual([200, readyBody]);
  });
});

test('a service that shuts down is live and not ready, so that a load balancer notices', async () => {
  const leaving = await startService({ database });
  leaving.container.health.beginShutdown();
  const response = await leaving.anonymous.raw('get', '/health/ready');
  expect([response.status, response.body.code]).toEqual([503, 'shutting_down']);
  expect(response.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  expect((await leaving.anonymous.raw('get', '/health/live')).status).toBe(200);
  await leaving.stop();
});
