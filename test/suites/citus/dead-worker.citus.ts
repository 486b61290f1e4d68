import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { createCountContributionsStore } from '../../../src/features/totals/count-contributions.store';
import { createProjectFiguresStore } from '../../../src/core/project-figures/project-figures.store';
import { addProject } from '../../support/catalogue';
import type { CitusNode } from '../../support/citus/cluster';
import { type OwnCluster, startOwnCluster } from '../../support/citus/own-cluster';
import type { Client } from '../../support/client';
import { environmentOf } from '../../support/environment';
import { readFeed } from '../../support/feed';
import { scrape, serveMetricsOf } from '../../support/metrics';
import { makeFiguresDue } from '../../support/project-figures';
import { startService, type TestCompany, type TestService } from '../../support/service';
import { until } from '../../support/until';

/**
 * The responses to tenants of a worker, and to other tenants, while that worker is stopped or
 * frozen.
 */
let own: OwnCluster;
let service: TestService;
let projectId: number;
/** A company on the worker that fails, and one elsewhere. */
let affected: TestCompany;
let other: TestCompany;
let worker: CitusNode;

const create = '/company/integration/contributions/create';
const contribution = (userHash: string) => ({ project_id: projectId, amount: '5.00', user_hash: userHash });

beforeAll(async () => {
  own = await startOwnCluster();
  service = await startService({
    database: own.database,
    settings: {
      DATABASE_ACQUIRE_TIMEOUT_MS: '1000',
      DATABASE_STATEMENT_TIMEOUT_MS: '1000',
      DATABASE_LOCK_TIMEOUT_MS: '500',
      DATABASE_ANSWER_TIMEOUT_MS: '5000',
      DELIVERY: 'on',
    },
  });
  projectId = await addProject(own.database.admin);
  affected = await service.addCompany();
  const port = await own.portOf(affected);
  worker = own.cluster.workers.find((node) => node.port === port)!;
  do other = await service.addCompany();
  while ((await own.portOf(other)) === port);
  for (const { test } of [affected, other]) await test.put(create, contribution('before')).expect(201);
});
afterAll(async () => {
  await service.stop();
  await own.remove();
});

/** The outcome of a request that changed nothing. */
const retryable = [503, 'database_unavailable', true];
const outcomeOf = ({ status, body }: { status: number; body: { code?: string; retryable?: boolean } }) => [
  status,
  body.code,
  body.retryable,
];

const ready = () => service.anonymous.raw('get', '/health/ready');
const worksAgain = (client: Client) =>
  until(
    'its tenants are served again',
    async () => (await client.put(create, contribution('again'))).status === 201,
  );

test('while all nodes respond, the service is ready for all tenants', async () => {
  const response = await ready();
  expect([response.status, response.body]).toEqual([200, { status: 'ready', reachable_tenants_share: 1 }]);
});

const isInFeed = async (client: Client, id: unknown): Promise<boolean> =>
  (await readFeed(client)).data.some(({ data }) => data.transaction_id === id);

/** [raised_amount, supporters_count] of the project, as this client reads them. */
async function figuresOf(client: Client): Promise<unknown[]> {
  const { body } = await client.get(`/company/integration/get/project/${projectId}`).expect(200);
  return [body.raised_amount as string, body.supporters_count as number];
}

/** @returns false if the run failed */
const addUpFigures = (): Promise<boolean> =>
  createProjectFiguresStore(service.container.database)
    .addUp()
    .then(
      () => true,
      () => false,
    );

async function completeNew(client: Client, userHash: string): Promise<void> {
  const { body } = await client.put(create, contribution(userHash)).expect(201);
  const address = `/company/integration/contributions/${body.transaction_id as string}`;
  await client.put(address, { status: 'completed' }).expect(200);
}

describe('while a worker is stopped', () => {
  beforeAll(async () => {
    for (const { test } of [affected, other]) await completeNew(test, 'not-counted-yet');
    await worker.stop('immediate');
  });
  afterAll(async () => {
    await worker.start();
    await worksAgain(affected.test);
  });

  test('a create of its tenant with an idempotency key gets a retryable 503', async () => {
    for (let request = 1; request <= 10; request += 1) {
      const response = await affected.test
        .put(create, contribution('stopped'))
        .set('Idempotency-Key', 'stopped');
      expect(outcomeOf(response)).toEqual(retryable);
    }
  });

  /**
   * For some of the connections that the worker refuses, the coordinator reports "server closed the
   * connection unexpectedly". It says the same of a connection that broke after the statement was
   * sent, so the outcome is then unknown. A test at the end shows that the worker stored nothing.
   */
  test('a create without one gets a retryable 503, or an unknown outcome if the worker could have run it', async () => {
    const outcomes: unknown[][] = [];
    for (let request = 1; request <= 20; request += 1)
      outcomes.push(outcomeOf(await affected.test.put(create, contribution('stopped'))));
    for (const outcome of outcomes)
      expect([retryable, [500, 'outcome_unknown', false]]).toContainEqual(outcome);
    expect(outcomes).toContainEqual(retryable);
  });

  test('the requests of its tenant keep the connections to the coordinator', async () => {
    const sessions = async (): Promise<number[]> => {
      const { rows } = await own.database.admin.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'contribution-service%'
            AND query ILIKE '%create_contribution%'`,
      );
      return rows.map(({ pid }) => pid);
    };
    // A request with an unknown outcome closes its connection.
    await until('failed requests close no connection', async () => {
      const before = await sessions();
      for (let request = 1; request <= 5; request += 1)
        await affected.test.put(create, contribution('stopped'));
      const after = await sessions();
      return before.length > 0 && before.every((pid) => after.includes(pid));
    });
  });

  test('the requests of a tenant elsewhere succeed', async () => {
    const created = await other.test.put(create, contribution('elsewhere')).expect(201);
    const address = `/company/integration/contributions/${created.body.transaction_id as string}`;
    await other.test.put(address, { status: 'completed' }).expect(200);
  });

  test('the events of a tenant elsewhere reach its feed', async () => {
    const created = await other.test.put(create, contribution('relayed')).expect(201);
    await until('the feed has the event', async () => isInFeed(other.test, created.body.transaction_id));
  });

  test('the contributions of a tenant elsewhere are counted in its totals', async () => {
    const counted = async (): Promise<number> => {
      const { rows } = await own.database.admin.query<{ sequence: number }>(
        'SELECT sequence::integer FROM contribution_totals_counted WHERE environment_id = $1',
        [await environmentOf(own.database.admin, other.name)],
      );
      return rows[0]?.sequence ?? 0;
    };
    const before = await counted();
    await other.test.put(create, contribution('counted')).expect(201);
    const totals = createCountContributionsStore(service.container.database);
    await until('they are counted', async () => {
      // It fails, because the worker is stopped.
      await totals.addUp().catch(() => undefined);
      return (await counted()) > before;
    });
  });

  test('completions are not added to the figures of projects, not even those of a tenant elsewhere', async () => {
    await completeNew(other.test, 'not-counted');
    const before = await figuresOf(other.test);
    await makeFiguresDue(own.database);
    // The service's own run may be in progress.
    await until('a run fails', async () => !(await addUpFigures()));
    expect(await figuresOf(other.test)).toEqual(before);
  });

  test('metrics still show key pairs and the age of totals, which are on the coordinator', async () => {
    const expiresAt = new Date(Date.now() + 3 * 86_400_000);
    await service.keyPairs.issue({ company: other.name, kind: 'test', scopes: ['projects:read'], expiresAt });
    const metrics = await serveMetricsOf(service);
    try {
      const { value } = await scrape(metrics.port);
      expect(value('contribution_reading_timestamp_seconds')).toBe(0);
      const expiring = { environment_kind: 'test', successor: 'no' };
      expect(value('contribution_expiring_key_pairs', expiring)).toBe(1);
    } finally {
      await metrics.stop();
    }
  });

  test('a key pair of either tenant can be revoked, and is rejected', async () => {
    for (const company of [affected, other]) {
      const pair = await service.addPair(company, 'test', ['projects:read']);
      const status = async (): Promise<number> =>
        (await pair.get('/company/integration/get/projects')).status;
      expect(await status()).toBe(company === other ? 200 : 503);
      await service.keyPairs.revoke(pair.apiKey!);
      await until('it is rejected', async () => (await status()) === 401);
    }
  });

  test('the service is ready, and reports the share of the tenants that it can serve', async () => {
    const response = await ready();
    expect(response.status).toBe(200);
    expect(response.body.reachable_tenants_share).toBeGreaterThan(0);
    expect(response.body.reachable_tenants_share).toBeLessThan(1);
  });
});

describe('while a worker is frozen', () => {
  let thaw: () => void;
  beforeAll(() => {
    thaw = worker.freeze();
  });
  afterAll(async () => {
    thaw();
    await worksAgain(affected.test);
  });

  test('a create without an idempotency key has an unknown outcome, and with one it is retryable', async () => {
    const without = await affected.test.put(create, contribution('frozen'));
    expect([without.status, without.body.code]).toEqual([500, 'outcome_unknown']);
    const withKey = await affected.test.put(create, contribution('frozen')).set('Idempotency-Key', 'frozen');
    // Not database_timeout, which would say that nothing was changed.
    expect([withKey.status, withKey.body.code]).toEqual([503, 'database_unavailable']);
  });

  test('the requests of a tenant elsewhere succeed', async () => {
    await other.test.put(create, contribution('elsewhere')).expect(201);
  });

  test('many requests of its tenant leave connections to a tenant elsewhere, and the service is ready', async () => {
    let isOver = false;
    const flood = Array.from({ length: 20 }, async () => {
      while (!isOver) {
        await affected.test.put(create, contribution('flood'));
        await delay(200);
      }
    });
    const statuses: number[] = [];
    try {
      // After the first timeouts, its tenant is limited.
      await until('a request of its tenant is rejected at once', async () => {
        const before = Date.now();
        await affected.test.put(create, contribution('probe'));
        return Date.now() - before < 300;
      });
      for (const end = Date.now() + 4_000; Date.now() < end;) {
        await delay(100);
        const response = await other.test.put(create, contribution('elsewhere'));
        statuses.push(response.status, (await ready()).status);
      }
    } finally {
      isOver = true;
      await Promise.all(flood);
    }
    expect(new Set(statuses)).toEqual(new Set([201, 200]));
  });

  test('the service is ready, and reports the share of the tenants that it can serve', async () => {
    const response = await ready();
    expect(response.status).toBe(200);
    expect(response.body.reachable_tenants_share).toBeGreaterThan(0);
    expect(response.body.reachable_tenants_share).toBeLessThan(1);
  });
});

test('when the worker is back, it has no contribution of the requests that failed, and a retry makes one', async () => {
  const contributionsOf = async (): Promise<number> => {
    const { rows } = await own.database.admin.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM transactions t
         JOIN users u ON u.environment_id = t.environment_id AND u.user_id = t.user_id
        WHERE t.environment_id = $1 AND u.user_hash = 'stopped'`,
      [await environmentOf(own.database.admin, affected.name)],
    );
    return rows[0]?.count ?? 0;
  };
  expect(await contributionsOf()).toBe(0);
  for (let repeat = 1; repeat <= 2; repeat += 1)
    await affected.test.put(create, contribution('stopped')).set('Idempotency-Key', 'stopped').expect(201);
  expect(await contributionsOf()).toBe(1);
});

test('when the worker is back, the feed of its tenant has its events', async () => {
  const created = await affected.test.put(create, contribution('back')).expect(201);
  await until('the feed has the event', async () => isInFeed(affected.test, created.body.transaction_id));
});

test('when the worker is back, each completion is in the figures of its project once', async () => {
  await makeFiguresDue(own.database);
  await until('a run succeeds', addUpFigures);
  // `other` has completed two more while the worker was stopped.
  await until('both read their figures', async () =>
    isDeepStrictEqual(
      [await figuresOf(affected.test), await figuresOf(other.test)],
      [
        ['5.00', 1],
        ['15.00', 3],
      ],
    ),
  );
});
