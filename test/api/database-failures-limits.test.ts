import type { PoolClient } from 'pg';
import type { Response } from 'supertest';

import { createServiceDatabase } from '../../src/startup/service-database';
import { addProject } from '../support/catalogue';
import { type Client, createClient } from '../support/client';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { isPooled } from '../support/pooler';
import { citusNodeUrls, isCitus, onDatabase } from '../support/citus/databases';
import { lockWaits } from '../support/lock-waits';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

const base = '/company/integration';
const create = `${base}/contributions/create`;

let database: TestDatabase;
/** The lock timeout is shorter than the statement timeout. */
let service: TestService;
/** Has one connection, and a lock timeout longer than the statement timeout. */
let patient: TestService;
let company: TestCompany;
let patientClient: Client;
let projectId: number;
let count = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startService({
    database,
    settings: { DATABASE_LOCK_TIMEOUT_MS: '150', DATABASE_STATEMENT_TIMEOUT_MS: '1000' },
  });
  patient = await startService({
    database,
    settings: {
      DATABASE_POOL_SIZE: '1',
      DATABASE_QUEUE_LENGTH: '1',
      DATABASE_LOCK_TIMEOUT_MS: '5000',
      DATABASE_STATEMENT_TIMEOUT_MS: '600',
      // Background work would sometimes use the only connection.
      SANDBOX_REQUEST_LOG: 'off',
      DELIVERY: 'off',
    },
  });
  company = await service.addCompany();
  patientClient = createClient(patient.server, company.test);
  projectId = await addProject(database.admin);
});
// On a busy machine, opening a connection can take longer than a request may wait for one.
beforeEach(() =>
  until('it reads', async () => (await patientClient.get(`${base}/get/projects`)).status === 200),
);
afterAll(async () => {
  await service.stop();
  await patient.stop();
  await database.drop();
});

const newUser = () => `user-${(count += 1)}`;
const newContribution = (userHash: string) => ({
  project_id: projectId,
  amount: '7.00',
  user_hash: userHash,
});

async function rowCountOf(userHash: string): Promise<number> {
  const { rowCount } = await database.admin.query(
    'SELECT FROM transactions JOIN users USING (environment_id, user_id) WHERE user_hash = $1',
    [userHash],
  );
  return rowCount ?? 0;
}

async function environmentOf(transactionId: string): Promise<number> {
  const { rows } = await database.admin.query<{ id: number }>(
    'SELECT environment_id AS id FROM transactions WHERE transaction_id = $1',
    [transactionId],
  );
  return rows[0]!.id;
}

/** Runs a statement on the server, or on every node of a cluster. */
async function onEveryNode(statement: string): Promise<void> {
  for (const url of citusNodeUrls() ?? [database.adminUrl]) {
    await onDatabase(url, async (client) => {
      await client.query('SET default_transaction_read_only = off');
      await client.query(statement);
    });
  }
}

/** Holds a lock while the callback runs. */
async function whileLocked<T>(lock: string, values: unknown[], work: () => PromiseLike<T>): Promise<T> {
  const holder: PoolClient = await database.admin.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(lock, values);
    return await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

// Waits until this request is sent and blocked.
const start = (request: PromiseLike<Response>): Promise<Response> => Promise.resolve(request);

const lockTransactions = 'LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE';

function expectRetryable(response: Response, code: string): void {
  expect([response.status, response.body.code, response.body.retryable]).toEqual([503, code, true]);
  expect(response.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  expect(response.text).not.toMatch(
    /lock|cancel|transactions|select|insert|statement|\.ts:|node_modules|127\.0\.0\.1/i,
  );
}

/**
 * A create without a key whose statement timed out. If the coordinator of a cluster times out
 * first, it does not wait for the worker, and the outcome is unknown.
 */
function expectTimedOut(response: Response): void {
  const isUnknown = isCitus && response.status === 500;
  if (isUnknown) expect(response.body.code).toBe('outcome_unknown');
  else expectRetryable(response, 'database_timeout');
}

function refusal(response: Response): Response {
  if (response.status !== 503) throw new Error('this one got its response');
  return response;
}

/** Terminates every connection of the service to this database, and waits until they have ended. */
async function terminateBackends(state = '%'): Promise<number> {
  const { rowCount } = await database.admin.query(
    `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'contribution-service' AND state LIKE $1`,
    [state],
  );
  return rowCount ?? 0;
}

async function waitingForLock(): Promise<boolean> {
  return (await lockWaits(database.admin)).some((query) => !query.includes('project_figure'));
}

test('concurrent statements take the free connections, and only the rest need a slot in the queue', async () => {
  // A separate pool: the service runs background statements on its own.
  const small = createServiceDatabase(
    { ...service.config, DATABASE_POOL_SIZE: 4, DATABASE_QUEUE_LENGTH: 1 },
    database.url,
    service.logger,
  );
  const atOnce = (count: number) =>
    Promise.allSettled(Array.from({ length: count }, () => small.runUnprepared('SELECT pg_sleep(0.1)', [])));
  try {
    expect((await atOnce(4)).map(({ status }) => status)).toEqual(Array<string>(4).fill('fulfilled'));
    const statuses = (await atOnce(6)).map(({ status }) => status);
    expect(statuses).toEqual([...Array<string>(5).fill('fulfilled'), 'rejected']);
  } finally {
    await small.close();
  }
});

describe('a lock that is not granted in time', () => {
  test('rejects a create without a key with a retryable 503 database_timeout, because nothing was done', async () => {
    const userHash = newUser();
    const response = await whileLocked(lockTransactions, [], () =>
      company.test.put(create, newContribution(userHash)),
    );
    expectTimedOut(response);
    expect(await rowCountOf(userHash)).toBe(0);
    await company.test.put(create, newContribution(userHash)).expect(201);
    expect(await rowCountOf(userHash)).toBe(1);
  });

  test('on a transaction rejects its completion with 503, and the retry gets 200', async () => {
    const { body } = await company.test.put(create, newContribution(newUser())).expect(201);
    const id = body.transaction_id as string;
    const complete = () => company.test.put(`${base}/contributions/${id}`, { status: 'completed' });
    const response = await whileLocked(
      'SELECT FROM transactions WHERE environment_id = $1 AND transaction_id = $2 FOR UPDATE',
      [await environmentOf(id), id],
      () => complete(),
    );
    expectRetryable(response, 'database_timeout');
    expect((await complete().expect(200)).get('Idempotent-Replayed')).toBeUndefined();
  });

  test('on a table rejects a read of it with 503', async () => {
    const response = await whileLocked('LOCK TABLE projects IN ACCESS EXCLUSIVE MODE', [], () =>
      company.test.get(`${base}/projects-stories`),
    );
    expectRetryable(response, 'database_timeout');
  });
});

describe('a statement that takes too long', () => {
  test('gets 503 database_timeout, and nothing was done', async () => {
    const userHash = newUser();
    const response = await whileLocked(lockTransactions, [], () =>
      patientClient.put(create, newContribution(userHash)),
    );
    expectTimedOut(response);
    expect(await rowCountOf(userHash)).toBe(0);
  });

  test('on the only connection delays the next request, which then succeeds', async () => {
    await whileLocked(lockTransactions, [], async () => {
      const slow = start(patientClient.put(create, newContribution(newUser())));
      await until('the first waits', waitingForLock);
      await patientClient.get(`${base}/get/projects`).expect(200);
      expectTimedOut(await slow);
    });
  });

  test('with many waiting reads: reads get 503 overloaded after a second, and a create and a completion behind them succeed', async () => {
    const roomy = await startService({
      database,
      settings: {
        DATABASE_POOL_SIZE: '1',
        DATABASE_QUEUE_LENGTH: '8',
        DATABASE_ACQUIRE_TIMEOUT_MS: '20000',
        DATABASE_LOCK_TIMEOUT_MS: '20000',
        DATABASE_STATEMENT_TIMEOUT_MS: '20000',
        DATABASE_ANSWER_TIMEOUT_MS: '30000',
      },
    });
    try {
      const client = createClient(roomy.server, company.test);
      const { registry } = roomy.container.metrics;
      const { body } = await client.put(create, newContribution(newUser())).expect(201);
      const waiting: Promise<Response>[] = [];
      await whileLocked(lockTransactions, [], async () => {
        waiting.push(start(client.put(create, newContribution(newUser()))));
        await until('the first waits', waitingForLock);
        const reads = Array.from({ length: 12 }, () => start(client.get(`${base}/projects-stories`)));
        waiting.push(...reads);
        expectRetryable(await Promise.any(reads.map(async (read) => refusal(await read))), 'overloaded');
        waiting.push(
          start(client.put(create, newContribution(newUser()))),
          start(client.put(`${base}/contributions/${body.transaction_id}`, { status: 'completed' })),
        );
        await until('both wait', async () => {
          const text = await registry.getSingleMetricAsString('contribution_admission_waiting_requests');
          return text.includes('{class="creates"} 1') && text.includes('{class="completions"} 1');
        });
      });
      const responses = (await Promise.all(waiting)).map(
        ({ status, body }) => `${status} ${body.code ?? ''}`,
      );
      expect(responses.filter((response) => response === '503 overloaded')).toHaveLength(10);
      expect(responses.slice(-2)).toEqual(['201 ', '200 ']);
    } finally {
      await roomy.stop();
    }
  });

  test('blocks the only connection: other requests get 503 in order, without effect', async () => {
    const [first, second] = [newUser(), newUser()];
    await whileLocked(lockTransactions, [], async () => {
      const slow = start(patientClient.put(create, newContribution(first)));
      await until('the first waits', waitingForLock);
      expectTimedOut(await patientClient.put(create, newContribution(second)));
      await patient.anonymous.raw('get', '/health/live').expect(200);
      expectTimedOut(await slow);
    });
    expect(await rowCountOf(second)).toBe(0);
    await patientClient.put(create, newContribution(second)).expect(201);
  });
});

describe('a terminated backend', () => {
  test('during a read causes 503, and reads succeed again', async () => {
    const response = await whileLocked('LOCK TABLE projects IN ACCESS EXCLUSIVE MODE', [], async () => {
      const reading = start(patientClient.get(`${base}/projects-stories`));
      await until('it waits', waitingForLock);
      await terminateBackends('active');
      return reading;
    });
    expectRetryable(response, 'database_unavailable');
    // Another read that waited for the lock may end later, and this one may share its result.
    await until('a read succeeds', async () => {
      const { status } = await patientClient.get(`${base}/projects-stories`);
      return status === 200;
    });
  });

  test('during a create without a key makes the outcome unknown', async () => {
    const response = await whileLocked(lockTransactions, [], async () => {
      const creating = start(patientClient.put(create, newContribution(newUser())));
      await until('it waits', waitingForLock);
      await terminateBackends('active');
      return creating;
    });
    expect([response.status, response.body.code]).toEqual([500, 'outcome_unknown']);
    expect(response.get('Retry-After')).toBeUndefined();
  });

  test('that was idle affects no request', async () => {
    const lost = () => patient.logLines.filter((line) => line.includes('idle database connection')).length;
    const before = lost();
    expect(await terminateBackends('idle')).toBeGreaterThan(0);
    // Behind a pooler, the service's own connections stay open, so the service notices nothing.
    if (!isPooled) await until('the loss is noticed', () => lost() > before);
    const userHash = newUser();
    await patientClient.put(create, newContribution(userHash)).expect(201);
    expect(await rowCountOf(userHash)).toBe(1);
  });

  test('repeatedly neither loses nor duplicates a contribution, when partners retry failures', async () => {
    const users = Array.from({ length: 12 }, newUser);
    const repeat = async (send: () => PromiseLike<Response>): Promise<Response> => {
      for (;;) {
        const response = await send();
        if (response.status < 500) return response;
        expect(response.status).toBe(503);
      }
    };
    const storm = { isOver: false };
    const terminating = (async () => {
      for (let round = 0; round < 10 || !storm.isOver; round += 1) await terminateBackends();
    })();
    const ids = await Promise.all(
      users.map(async (userHash) => {
        const created = await repeat(() =>
          company.test.put(create, newContribution(userHash)).set('Idempotency-Key', userHash),
        );
        const id = created.body.transaction_id as string;
        const completed = await repeat(() =>
          company.test.put(`${base}/contributions/${id}`, { status: 'completed' }),
        );
        expect([created.status, completed.status]).toEqual([201, 200]);
        return id;
      }),
    );
    storm.isOver = true;
    await terminating;
    const { rows } = await database.admin.query<{ id: string; events: string[] }>(
      `SELECT t.transaction_id AS id, array_agg(e.type ORDER BY e.type) AS events
         FROM transactions t JOIN users USING (environment_id, user_id) JOIN events e USING (environment_id, transaction_id)
        WHERE user_hash = ANY ($1) GROUP BY t.transaction_id`,
      [users],
    );
    expect(rows.map((row) => row.id).sort()).toEqual([...ids].sort());
    for (const { events } of rows) expect(events).toEqual(['contribution.completed', 'contribution.created']);
  });
});

describe('a server that has become a standby', () => {
  afterEach(async () => {
    await onEveryNode(`ALTER DATABASE ${nameOf(database)} RESET default_transaction_read_only`);
    await terminateBackends();
    await until(
      'it writes again',
      async () => (await company.test.put(create, newContribution(newUser()))).status === 201,
    );
  });

  test('rejects a create without a key with a retryable 503, and still serves reads', async () => {
    await onEveryNode(`ALTER DATABASE ${nameOf(database)} SET default_transaction_read_only = on`);
    await terminateBackends();
    await until('it reads', async () => (await company.test.get(`${base}/get/projects`)).status === 200);
    const userHash = newUser();
    const response = await company.test.put(create, newContribution(userHash));
    expectRetryable(response, 'database_unavailable');
    expect(await rowCountOf(userHash)).toBe(0);
  });
});

function nameOf({ url }: TestDatabase): string {
  return new URL(url).pathname.slice(1);
}
