import pino from 'pino';

import { readSettings } from '../../src/read-settings';
import { createServiceDatabase } from '../../src/startup/service-database';
import { DatabaseFailure } from '../../src/db/errors';
import { drawKeyPair, type KeyPair } from '../../src/core/key-pairs/credentials';
import { OperatorError } from '../../src/shared/operator-error';
import { createOperations } from '../../src/operator/commands/operations';
import { createKeyPairUse } from '../../src/core/key-pairs/key-pair-use';
import type { KeyPairsStore } from '../../src/core/key-pairs/key-pairs.store';
import type { EnvironmentKind, Scope } from '../../src/shared/scopes';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy';
import { startService, testPeppers, type TestService } from '../support/service';
import { until } from '../support/until';
import { scopesOfKind } from '../support/scopes';

const projects = '/company/integration/get/projects';

let database: TestDatabase;
let proxy: PostgresProxy;
let service: TestService;
let companyCount = 0;
let company: string;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startPostgresProxy(database.url);
  service = await startService({ database, databaseUrl: proxy.url });
});
beforeEach(async () => {
  company = `Key pairs ${(companyCount += 1)}`;
  await service.companies.create(company);
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
  await database.drop();
});

function issue(
  options: { kind?: EnvironmentKind; some?: readonly Scope[]; expiresAt?: Date } = {},
): Promise<KeyPair> {
  const { kind = 'test', some = scopesOfKind(kind), expiresAt } = options;
  return service.keyPairs.issue({ company, kind, scopes: some, expiresAt });
}

const getWith = ({ apiKey, apiSecret }: KeyPair, from = service) =>
  from.anonymous.raw('get', projects).set({ 'API-Key': apiKey, 'API-Secret': apiSecret });

describe('live key pairs of one environment and scope set', () => {
  test('are limited to two: both work, and a third is rejected with advice', async () => {
    const pairs = [await issue(), await issue()];
    for (const pair of pairs) expect((await getWith(pair)).status).toBe(200);
    await expect(issue()).rejects.toThrow(OperatorError);
    await expect(issue()).rejects.toThrow(/two live key pairs with these scopes\. Revoke one first/);
  });

  test('are limited to two when ten are issued concurrently: eight are rejected with the same advice', async () => {
    // Ten connections, so that all ten statements run at the same time.
    const operators = createServiceDatabase(
      readSettings({ DATABASE_POOL_SIZE: '10', DATABASE_ACQUIRE_TIMEOUT_MS: '5000' }),
      database.ownerUrl,
      pino({ level: 'silent' }),
    );
    const { keyPairs } = createOperations(operators, testPeppers);
    const order = { company, kind: 'test', scopes: scopesOfKind('test'), expiresAt: undefined } as const;
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => keyPairs.issue(order)));
    await operators.close();
    const { rows } = await database.admin.query<{ live: number }>(
      `SELECT count(*)::integer AS live
         FROM key_pairs JOIN environments USING (environment_id) JOIN companies USING (company_id)
        WHERE name = $1 AND revoked_at IS NULL`,
      [company],
    );
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(rows[0]!.live).toBe(2);
    expect(refusals).toHaveLength(8);
    for (const { reason } of refusals) expect(reason).toBeInstanceOf(OperatorError);
  });

  test('allow a third when one is revoked', async () => {
    const first = await issue();
    const second = await issue();
    await service.keyPairs.revoke(first.apiKey);
    const third = await issue();
    expect((await getWith(second)).status).toBe(200);
    expect((await getWith(third)).status).toBe(200);
    await expect(issue()).rejects.toThrow(OperatorError);
  });

  test('allow a third when one has expired', async () => {
    await issue();
    await issue({ expiresAt: new Date(Date.now() - 1_000) });
    expect((await getWith(await issue())).status).toBe(200);
    await expect(issue()).rejects.toThrow(OperatorError);
  });

  test('allow two more when both have expired', async () => {
    for (let count = 0; count < 2; count += 1) await issue({ expiresAt: new Date(Date.now() - 1_000) });
    await issue();
    await issue();
    await expect(issue()).rejects.toThrow(OperatorError);
  });

  test('do not count for the other environment or for another scope set', async () => {
    await issue();
    await issue();
    await issue({ kind: 'production' });
    await issue({ some: ['projects:read'] });
  });

  test('count together regardless of the order and repetition of their scopes', async () => {
    await issue({ some: ['projects:read', 'contributions:read'] });
    await issue({ some: ['contributions:read', 'projects:read'] });
    await expect(issue({ some: ['contributions:read', 'projects:read', 'projects:read'] })).rejects.toThrow(
      OperatorError,
    );
  });
});

describe('a secret', () => {
  test('is stored in no column of any table; only its HMAC is', async () => {
    const { apiKey, apiSecret } = await issue();
    await getWith({ apiKey, apiSecret });
    const inHex = Buffer.from(apiSecret).toString('hex');
    const { rows: tables } = await database.admin.query<{ name: string }>(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    expect(tables.length).toBeGreaterThan(5);
    for (const { name } of tables) {
      const found = await database.admin.query(
        `SELECT FROM ${name} AS a_row WHERE strpos(a_row::text, $1) > 0 OR strpos(a_row::text, $2) > 0`,
        [apiSecret, inHex],
      );
      expect([name, found.rowCount]).toEqual([name, 0]);
    }
    const { rows } = await database.admin.query<{ bytes: number }>(
      'SELECT octet_length(secret_hmac) AS bytes FROM key_pairs WHERE api_key = $1',
      [apiKey],
    );
    expect(rows).toEqual([{ bytes: 32 }]);
  });
});

describe('the last use of a key pair', () => {
  const lastUseOf = async ({ apiKey }: KeyPair): Promise<Date | null> => {
    const { rows } = await database.admin.query<{ last_used_at: Date | null }>(
      'SELECT last_used_at FROM key_pairs WHERE api_key = $1',
      [apiKey],
    );
    return rows[0]!.last_used_at;
  };

  test('is written at shutdown for used key pairs, and not for failed attempts', async () => {
    const instance = await startService({ database });
    const used = await issue();
    const unused = await issue({ kind: 'production' });
    const before = Date.now();
    await getWith(used, instance);
    await getWith({ ...drawKeyPair('production'), apiKey: unused.apiKey }, instance);
    const after = Date.now();
    await instance.stop();
    const lastUse = (await lastUseOf(used))?.getTime() ?? 0;
    expect(lastUse).toBeGreaterThanOrEqual(before);
    expect(lastUse).toBeLessThanOrEqual(after);
    expect(await lastUseOf(unused)).toBeNull();
  });

  test('never moves back, regardless of which process writes last', async () => {
    const [earlier, later] = [await startService({ database }), await startService({ database })];
    const pair = await issue();
    await getWith(pair, earlier);
    await getWith(pair, later);
    await later.stop();
    const lastUse = await lastUseOf(pair);
    await earlier.stop();
    expect(await lastUseOf(pair)).toEqual(lastUse);
  });
});

describe('the times of last use', () => {
  const [earlier, later] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')];

  test('are written later if the database is unavailable, because operators rely on them to revoke', async () => {
    let isAway = true;
    const written = new Map<string, Date>();
    const store: Pick<KeyPairsStore, 'recordUse'> = {
      recordUse(uses) {
        if (isAway) return Promise.reject(new DatabaseFailure('unavailable', 'nothing', undefined));
        for (const [apiKey, at] of uses) written.set(apiKey, at);
        return Promise.resolve();
      },
    };
    const attempts = jest.spyOn(store, 'recordUse');
    const use = createKeyPairUse(store, pino({ level: 'silent' }), 5);
    use.note('used before only', earlier);
    use.note('used before and after', earlier);
    await until('writing was tried', () => attempts.mock.calls.length > 0);
    use.note('used before and after', later);
    isAway = false;
    await use.stop();
    expect(written).toEqual(
      new Map([
        ['used before only', earlier],
        ['used before and after', later],
      ]),
    );
  });
});

describe('authentication without a database', () => {
  beforeEach(() => {
    proxy.refuse();
  });
  afterEach(() => {
    proxy.restore();
  });

  test.each<[string, () => Promise<KeyPair>]>([
    ['a good pair that was not used before', () => issue()],
    ['an unknown pair', () => Promise.resolve(drawKeyPair('test'))],
  ])('rejects %s with 503 and Retry-After, never with 401', async (_which, pair) => {
    const response = await getWith(await pair());
    expect(response.status).toBe(503);
    expect(response.body).toMatchObject({ code: 'database_unavailable', retryable: true });
    expect(response.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    expect(response.get('WWW-Authenticate')).toBeUndefined();
  });

  test('still rejects malformed credentials with 401, which needs no database', async () => {
    const response = await service.anonymous.raw('get', projects);
    expect([response.status, response.body.code]).toEqual([401, 'credentials_malformed']);
  });

  test('works again as soon as the database is available', async () => {
    const pair = await issue();
    expect((await getWith(pair)).status).toBe(503);
    proxy.restore();
    expect((await getWith(pair)).status).toBe(200);
  });
});
