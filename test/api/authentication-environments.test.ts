import { listContracts } from '../../src/contracts';
import { type EnvironmentKind, environmentKinds, type Scope } from '../../src/shared/scopes';
import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startService, type TestCompany, type TestService } from '../support/service';
import { scopes, scopesOfKind } from '../support/scopes';

const contracts = listContracts({ minimumCents: 1n, maximumCents: 100n });
const operations = contracts.flatMap(({ method, path, scope }) =>
  scope === null
    ? []
    : [
        {
          method,
          path: path.replace(/\{transaction_id\}/, 'K7Q20CR5M3V9XHG').replace(/\{\w+\}/, '1'),
          scope,
        },
      ],
);
const create = '/company/integration/contributions/create';

let database: TestDatabase;
let service: TestService;
let company: TestCompany;
let projectId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startService({ database });
  company = await service.addCompany();
  projectId = await addProject(database.admin);
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

describe.each(environmentKinds)('a key pair of the %s environment', (kind) => {
  test.each<[number, string, 'get' | 'put', string, object | undefined]>([
    [200, 'a success', 'get', '/company/integration/get/projects', undefined],
    [400, 'an invalid query', 'get', '/company/integration/get/projects?limit=0', undefined],
    [400, 'an invalid body', 'put', create, {}],
    [404, 'something unknown', 'get', '/company/integration/get/project/999999', undefined],
    [404, 'a mistyped transaction', 'get', '/company/integration/contributions/NONSENSE', undefined],
    [415, 'a body without a type', 'put', create, undefined],
    [422, 'an unknown project', 'put', create, { project_id: 999_999, amount: '1.00', user_hash: 'h' }],
  ])(
    'gets its environment in the Environment header of a %d for %s',
    async (status, _what, method, path, body) => {
      const response = await company[kind].raw(method, path).send(body);
      expect(response.status).toBe(status);
      expect(response.get('Environment')).toBe(kind);
    },
  );

  test('gets its environment in the Environment header of a 500', async () => {
    const other = await startService({ database });
    try {
      await database.admin.query('ALTER TABLE projects RENAME TO projects_gone');
      const response = await other.anonymous
        .raw('get', '/company/integration/get/projects')
        .set({ 'API-Key': company[kind].apiKey!, 'API-Secret': company[kind].apiSecret! });
      expect(response.status).toBe(500);
      expect(response.get('Environment')).toBe(kind);
    } finally {
      await database.admin.query('ALTER TABLE projects_gone RENAME TO projects');
      await other.stop();
    }
  });

  test("does not see the data of the same company's other environment", async () => {
    const other: EnvironmentKind = kind === 'test' ? 'production' : 'test';
    const created = await company[kind].put(create, {
      project_id: projectId,
      amount: '5.00',
      user_hash: kind,
    });
    const path = `/company/integration/contributions/${created.body.transaction_id as string}`;
    expect((await company[kind].get(path)).status).toBe(200);
    expect((await company[other].get(path)).status).toBe(404);
    expect((await company[other].put(path, { status: 'completed' })).status).toBe(404);
    const listed = await company[other].get(`/company/integration/contributions?user_hash=${kind}`);
    expect(listed.body.data).toEqual([]);
  });

  test('is valid for its own environment only, whatever parameter or header names another', async () => {
    const other: EnvironmentKind = kind === 'test' ? 'production' : 'test';
    const response = await company[kind]
      .raw('get', `/company/integration/get/projects?environment=${other}`)
      .set('Environment', other);
    expect(response.get('Environment')).toBe(kind);
  });
});

describe.each<[EnvironmentKind, EnvironmentKind]>([
  ['production', 'test'],
  ['test', 'production'],
])('an instance with SERVED_ENVIRONMENTS=%s', (served, refused) => {
  let instance: TestService;
  beforeAll(async () => {
    instance = await startService({ database, settings: { SERVED_ENVIRONMENTS: served } });
  });
  afterAll(() => instance.stop());

  const getAs = (kind: EnvironmentKind, apiSecret = company[kind].apiSecret!) =>
    instance.anonymous
      .raw('get', '/company/integration/get/projects')
      .set({ 'API-Key': company[kind].apiKey!, 'API-Secret': apiSecret });

  test(`serves a key pair of ${served}`, async () => {
    expect((await getAs(served)).status).toBe(200);
  });

  test(`rejects a key pair of ${refused} with 403 environment_not_served that names its environment`, async () => {
    const response = await getAs(refused);
    expect(response.status).toBe(403);
    expect(response.body.code).toBe('environment_not_served');
    expect(response.body.detail).toContain(refused);
    // The credentials are valid, so this response is for an authenticated caller.
    expect(response.get('Environment')).toBe(refused);
  });

  test(`does not reveal to a caller without the secret that a key of ${refused} exists`, async () => {
    const { apiSecret } = await service.companies.create(`Stranger on ${served}`).then(() =>
      service.keyPairs.issue({
        company: `Stranger on ${served}`,
        kind: refused,
        scopes: scopesOfKind('production'),
        expiresAt: undefined,
      }),
    );
    const response = await getAs(refused, apiSecret);
    expect([response.status, response.body.code]).toEqual([401, 'credentials_invalid']);
  });
});

describe('scopes', () => {
  test.each(operations)('a key pair with all scopes may call $method $path', async ({ method, path }) => {
    const response = await company.test.raw(method, path);
    expect(response.status).not.toBe(403);
  });

  test.each(operations)(
    'a key pair without $scope gets 403 with the missing scope from $method $path',
    async ({ method, path, scope }) => {
      const restricted = await restrictedTo(scopes.filter((one) => one !== scope));
      const response = await restricted.raw(method, path);
      expect(response.status).toBe(403);
      expect(response.body.code).toBe('scope_missing');
      expect(response.body.detail).toContain(scope);
      expect(response.get('Environment')).toBe('test');
    },
  );

  test.each(operations)(
    'a key pair with only $scope may call $method $path',
    async ({ method, path, scope }) => {
      const restricted = await restrictedTo([scope]);
      const response = await restricted.raw(method, path);
      expect(response.status).not.toBe(403);
    },
  );

  const pairs = new Map<string, Promise<Client>>();

  /** Returns the same key pair for the same scopes, because at most two may be live. */
  function restrictedTo(some: readonly Scope[]): Promise<Client> {
    const pair = pairs.get(some.join()) ?? service.addPair(company, 'test', some);
    pairs.set(some.join(), pair);
    return pair;
  }
});
