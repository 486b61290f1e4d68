import { setTimeout as delay } from 'node:timers/promises';

import type { Pool } from 'pg';

import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/db/embedded-database';
import { migrateUp } from '../../src/db/migrations/migrator';
import { tryCommit } from '../../src/db/pool/trial-commit';
import { type Direction, type Fate, startTcpProxy, type TcpProxy } from '../suites/faults/network/tcp-proxy';
import { addProject } from '../support/catalogue';
import { createClient } from '../support/client';
import type { TestDatabase } from '../support/database';
import { relayAll } from '../support/feed';
import { createPool } from '../support/pool';
import { temporaryFolder } from '../support/program';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { longTest } from '../support/full-run';

/**
 * A separate server whose commits wait for a standby that does not exist. A commit whose wait is
 * cancelled exists on this server only, and a failover would lose it. So no response may confirm
 * it, neither the first nor that of a retry.
 */
const create = '/company/integration/contributions/create';

let folder: ReturnType<typeof temporaryFolder>;
let postgres: EmbeddedDatabase;
let admin: Pool;
let database: TestDatabase;
let proxy: TcpProxy;
let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  folder = temporaryFolder();
  postgres = await startEmbeddedDatabase({ dataDirectory: folder.path, settings: { fsync: 'off' } });
  const [url, ownerUrl, adminUrl] = (['service', 'owner', 'superuser'] as const).map((role) =>
    postgres.connectionString(role),
  ) as [string, string, string];
  await migrateUp({ connectionString: ownerUrl });
  admin = createPool(adminUrl, { max: 3 });
  // The server has no operator's login, and no command runs here.
  database = { url, ownerUrl, operatorUrl: ownerUrl, adminUrl, admin, drop: () => Promise.resolve() };
  proxy = await startTcpProxy(Number(new URL(url).port));
  const proxied = new URL(url);
  proxied.port = String(proxy.port);
  service = await startService({
    database,
    databaseUrl: proxied.href,
    settings: { DATABASE_STATEMENT_TIMEOUT_MS: '300', DATABASE_ANSWER_TIMEOUT_MS: '10000' },
  });
  company = await service.addCompany();
  projectId = await addProject(admin);
});
afterEach(() => setStandby(''));
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await admin.end();
  await postgres.stop();
  folder.remove();
});

/**
 * Makes every later commit wait for this standby, or for none if the name is empty. Commits use the
 * checkpointer's copy of the setting, which may change later than a session's. Only a commit shows
 * it.
 */
async function setStandby(name: string): Promise<void> {
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await admin.query('SELECT pg_reload_conf()');
  await until('the setting is in force', async () => (await doCommitsWait()) === (name !== ''));
}

/** Commits a meaningless change and cancels its wait if there is one. */
async function doCommitsWait(): Promise<boolean> {
  let didWait = false;
  await whileStandbyIsAway(
    () => admin.query(`SELECT pg_logical_emit_message(true, 'test', 'does this commit wait?')`),
    () => {
      didWait = true;
    },
  );
  return didWait;
}

/** Cancels every commit that waits for the standby, and returns their number. */
async function cancelWaits(): Promise<number> {
  const { rowCount } = await admin.query(
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep'`,
  );
  return rowCount ?? 0;
}

/** The response to a request whose waiting commit is cancelled. */
async function whileStandbyIsAway<T>(
  send: () => Promise<T>,
  onWait: () => void = () => undefined,
): Promise<T> {
  let hasResponse = false;
  const response = send().finally(() => {
    hasResponse = true;
  });
  await until('the commit waits, or the response arrives', async () => {
    if ((await cancelWaits()) === 0) return hasResponse;
    onWait();
    return true;
  });
  return response;
}

/** Waiting creates and trial commits. Jobs of the other service may wait as well. */
async function waitingCommits(): Promise<number> {
  const { rows } = await admin.query<{ count: string }>(
    `SELECT count(*) FROM pg_stat_activity
      WHERE wait_event = 'SyncRep' AND query ~ 'create_contribution|pg_logical_emit_message'`,
  );
  return Number(rows[0]?.count);
}

const contribution = (userHash: string) => ({ project_id: projectId, amount: '5.00', user_hash: userHash });

/**
 * The server's severities in another language with the same length. Severities are translated,
 * codes are not.
 */
function translate(_direction: Direction, data: Buffer): Fate {
  for (let at = data.indexOf('SWARNING\0'); at >= 0; at = data.indexOf('SWARNING\0'))
    data.write('SWARNUNG\0', at);
  return 'pass';
}

describe.each([
  ['plain', () => Promise.resolve()],
  [
    'translated',
    () => {
      proxy.watcher = translate;
      return Promise.resolve();
    },
  ],
  [
    'quiet',
    async () => {
      await admin.query('ALTER ROLE contribution_service SET client_min_messages = error');
      proxy.cut();
    },
  ],
])('on a server whose messages are %s', (how, arrange) => {
  beforeAll(arrange);
  afterAll(async () => {
    proxy.watcher = undefined;
    await admin.query('ALTER ROLE contribution_service RESET client_min_messages');
    proxy.cut();
  });

  test('a create whose commit is not replicated gets 503, and so does its retry until the standby is back', async () => {
    const send = () =>
      company.test
        .put(create, contribution(`1-${how}`))
        .set('Idempotency-Key', `away-${how}`)
        .then((response) => response);
    await setStandby('away');

    const first = await whileStandbyIsAway(send);
    expect([first.status, first.body.retryable]).toEqual([503, true]);
    const { rows } = await admin.query('SELECT FROM transactions WHERE idempotency_key = $1', [
      `away-${how}`,
    ]);
    expect(rows).toHaveLength(1);
    const retry = await whileStandbyIsAway(send);
    expect([retry.status, retry.body.retryable]).toEqual([503, true]);

    await setStandby('');
    const last = await send();
    expect([last.status, last.headers['idempotent-replayed']]).toEqual([201, 'true']);
  });

  test('a create without a key whose commit is not replicated gets 500 outcome_unknown', async () => {
    await setStandby('away');
    const response = await whileStandbyIsAway(() =>
      company.test.put(create, contribution(`2-${how}`)).then((first) => first),
    );
    expect([response.status, response.body.code]).toEqual([500, 'outcome_unknown']);
  });

  test('a completion whose commit is not replicated gets 503, and so does its repeat until the standby is back', async () => {
    const created = await company.test.put(create, contribution(`3-${how}`)).expect(201);
    const path = `/company/integration/contributions/${created.body.transaction_id as string}`;
    const send = () => company.test.put(path, { status: 'completed' }).then((response) => response);
    await setStandby('away');

    for (const attempt of ['first', 'repeat']) {
      const response = await whileStandbyIsAway(send);
      expect([attempt, response.status, response.body.retryable]).toEqual([attempt, 503, true]);
    }

    await setStandby('');
    const last = await send();
    expect([last.status, last.headers['idempotent-replayed']]).toEqual([200, 'true']);
  });
});

test('no page moves a reader past events that are not replicated, even if the filter leaves them out', async () => {
  await company.test.put(create, contribution('feed')).expect(201);
  const read = (query: string) => () =>
    company.test.get(`/company/integration/events?${query}`).then((response) => response);
  await setStandby('away');
  // A relay whose wait is cancelled has written the feed on this server only.
  await whileStandbyIsAway(() => relayAll(admin));
  for (const query of ['', 'type=contribution.returned', 'from=2100-01-01T00:00:00Z']) {
    const response = await whileStandbyIsAway(read(query));
    expect([query, response.status]).toEqual([query, 503]);
  }
  await setStandby('');
  const { status, body } = await read('type=contribution.returned')();
  expect([status, body.data, body.next_after]).toEqual([200, [], body.last_sequence]);
  expect(body.last_sequence).toBeGreaterThan(0);
});

longTest(
  'many writes without the standby use no more connections than the pool has, and reads continue',
  async () => {
    const poolSize = 4;
    const small = await startService({
      database,
      settings: {
        DATABASE_POOL_SIZE: String(poolSize),
        DATABASE_STATEMENT_TIMEOUT_MS: '100',
        DATABASE_ANSWER_TIMEOUT_MS: '200',
      },
    });
    try {
      const client = createClient(small.server, company.test);
      const send = (number: number) =>
        client
          .put(create, contribution(`many-${number}`))
          .set('Idempotency-Key', `many-${number}`)
          .then((response) => response);
      const numbers = Array.from({ length: 8 }, (_, index) => index);
      await setStandby('away');
      for (let round = 0; round < 5; round += 1) {
        const responses = await Promise.all(numbers.map(send));
        expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));
      }
      // The first batch gave up half of the pool's connections. The trial commit needs one more.
      expect(await waitingCommits()).toBeLessThanOrEqual(poolSize + 1);
      await client.get('/company/integration/get/projects').expect(200);
      const readiness = () => small.anonymous.raw('get', '/health/ready');
      const notReady = await readiness().expect(503);
      expect(notReady.body).toMatchObject({
        code: 'database_unavailable',
        detail: expect.stringMatching(/^The service rejects writes because .*standby/) as string,
      });
      // Kept connections are closed after 15 s. Writes stay rejected, so that no more server
      // processes accumulate.
      await until('no reply is waited for', () => small.container.database.poolState().lateReplies === 0);
      expect(await Promise.all(numbers.map(send).map(async (response) => (await response).status))).toEqual(
        numbers.map(() => 503),
      );
      expect(await waitingCommits()).toBeLessThanOrEqual(poolSize + 1);
      await readiness().expect(503);
      await client.get('/company/integration/get/projects').expect(200);

      await setStandby('');
      await until('it is ready', async () => (await readiness()).status === 200);
      for (const number of numbers) {
        await until(`contribution ${number} is recorded`, async () => (await send(number)).status === 201);
      }
      const recorded = await admin.query(`SELECT FROM transactions WHERE idempotency_key LIKE 'many-%'`);
      expect(recorded.rowCount).toBe(numbers.length);
    } finally {
      await small.stop();
    }
  },
);

test('abandoned trial commits are cancelled by the next one', async () => {
  const { signal } = new AbortController();
  const trial = () => tryCommit({ connectionString: database.url }, () => undefined, 300, signal);
  await setStandby('away');
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect(trial()).rejects.toThrow('no reply within 300 ms');
    expect(await waitingCommits()).toBe(1);
    await delay(100);
  }
  await setStandby('');
  await trial();
  await until('nothing waits', async () => (await waitingCommits()) === 0);
});
