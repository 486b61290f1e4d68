import { advise } from '../../src/core/key-pairs/revocation-advice';
import type { SuccessorExpiry } from '../../src/core/key-pairs/key-pair-lifecycle.store';
import type { ListedKeyPair } from '../../src/core/key-pairs/listed-key-pairs.store';
import { OperatorError } from '../../src/shared/operator-error';
import type { Client } from '../support/client';
import { addProject } from '../support/catalogue';
import { operate } from '../support/operations';
import { operatorSettings, runOps } from '../support/operator-commands';
import { startService, testPeppers, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { scopes } from '../support/scopes';

/** Rotation with real key pairs, real authentication and operator transactions. */
let service: TestService;
const projects = '/company/integration/get/projects';
const day = 24 * 60;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const statusOf = async (client: Client): Promise<number> => (await client.get(projects)).status;
const clientOf = (pair: { apiKey: string; apiSecret: string }) => ({
  status: async () =>
    (
      await service.anonymous
        .raw('get', projects)
        .set({ 'API-Key': pair.apiKey, 'API-Secret': pair.apiSecret })
    ).status,
});
const rotate = (apiKey: string, overlapMinutes = day, expiry: SuccessorExpiry = 'same') =>
  operate(service.database, ({ keyPairs }) => keyPairs.rotate(apiKey, overlapMinutes, expiry));
const keyOf = (company: TestCompany): string => company.test.apiKey!;
const listed = async (apiKey: string): Promise<ListedKeyPair | undefined> =>
  (await operate(service.database, ({ keyPairs }) => keyPairs.list({ apiKey, includeEnded: true })))[0];

test('a pair that is dead already is named as such, and an unknown one is not', async () => {
  const company = await service.addCompany();
  const revoke = (apiKey: string) => operate(service.database, ({ keyPairs }) => keyPairs.revoke(apiKey));
  await revoke(keyOf(company));
  for (const again of [revoke, rotate])
    await expect(again(keyOf(company))).rejects.toThrow(/^This key pair was revoked at 20.*Z, and never/);
  await service.database.admin.query(
    `UPDATE key_pairs SET revoked_at = NULL, expires_at = now() WHERE api_key = $1`,
    [keyOf(company)],
  );
  await expect(rotate(keyOf(company))).rejects.toThrow(/^This key pair expired at 20/);
  await expect(revoke('cpk_test_unknown')).rejects.toThrow('There is no key pair with this API-Key.');
});

describe('a rotation', () => {
  test('issues a second pair with the same environment and scopes, and both work', async () => {
    const company = await service.addCompany(undefined, ['projects:read']);
    const before = Date.now();
    const { oldExpiresAt, ...rotation } = await rotate(keyOf(company));
    expect(await clientOf(rotation).status()).toBe(200);
    expect(await statusOf(company.test)).toBe(200);
    expect(oldExpiresAt.getTime() - before).toBeGreaterThan(day * 60_000 - 5_000);
    expect(oldExpiresAt.getTime() - before).toBeLessThan(day * 60_000 + 60_000);
    expect(await listed(rotation.apiKey)).toMatchObject({
      company: company.name,
      kind: 'test',
      scopes: ['projects:read'],
      state: 'live',
      expiresAt: null,
    });
  });

  test('ends the old pair after the overlap in a process that caches it, and the new pair still works', async () => {
    const company = await service.addCompany();
    expect(await statusOf(company.test)).toBe(200);
    const rotation = await rotate(keyOf(company), 1);
    await service.database.admin.query(`UPDATE key_pairs SET expires_at = now() WHERE api_key = $1`, [
      keyOf(company),
    ]);
    await service.database.admin.query(`SELECT pg_notify('key_pair_changed', $1)`, [keyOf(company)]);
    await until('the old pair is refused', async () => (await statusOf(company.test)) === 401);
    expect(await clientOf(rotation).status()).toBe(200);
  });

  test('notifies running processes of the end of the old pair', async () => {
    const company = await service.addCompany();
    expect(await statusOf(company.test)).toBe(200);
    // The command does not accept an overlap of 0. Here it proves that the notification suffices.
    await rotate(keyOf(company), 0);
    await until('the old pair is refused', async () => (await statusOf(company.test)) === 401);
  });

  test('keeps an earlier expiry of the old pair', async () => {
    const company = await service.addCompany();
    const soon = new Date(Date.now() + 600_000);
    await service.database.admin.query(`UPDATE key_pairs SET expires_at = $2 WHERE api_key = $1`, [
      keyOf(company),
      soon,
    ]);
    expect((await rotate(keyOf(company))).oldExpiresAt).toEqual(soon);
  });

  test('is rejected while both slots are taken, and nothing changes', async () => {
    const company = await service.addCompany();
    await service.addPair(company, 'test', scopes);
    await expect(rotate(keyOf(company))).rejects.toThrow('two live key pairs with these scopes');
    expect(await listed(keyOf(company))).toMatchObject({ state: 'live', expiresAt: null });
  });

  test('uses the slot of an expired pair', async () => {
    const company = await service.addCompany();
    const { apiKey } = await service.addPair(company, 'test', scopes);
    await service.database.admin.query(
      `UPDATE key_pairs SET expires_at = now() - interval '1 hour' WHERE api_key = $1`,
      [apiKey],
    );
    const { apiKey: newKey } = await rotate(keyOf(company));
    expect(await listed(apiKey!)).toMatchObject({ state: 'revoked' });
    expect(await listed(newKey)).toMatchObject({ state: 'live' });
  });

  test('can be repeated after the first pair is revoked', async () => {
    const company = await service.addCompany();
    const second = await rotate(keyOf(company));
    await operate(service.database, ({ keyPairs }) => keyPairs.revoke(keyOf(company)));
    const third = await rotate(second.apiKey);
    expect(await clientOf(third).status()).toBe(200);
  });

  test('that runs twice concurrently succeeds once', async () => {
    const company = await service.addCompany();
    const results = await Promise.allSettled([rotate(keyOf(company)), rotate(keyOf(company))]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const pairs = await operate(service.database, ({ keyPairs }) =>
      keyPairs.list({ company: company.name, kind: 'test' }),
    );
    expect(pairs).toHaveLength(2);
  });

  test('of an unknown or revoked pair is rejected', async () => {
    const company = await service.addCompany();
    await operate(service.database, ({ keyPairs }) => keyPairs.revoke(keyOf(company)));
    await expect(rotate(keyOf(company))).rejects.toThrow(OperatorError);
    await expect(rotate('cpk_test_nothing')).rejects.toThrow('There is no key pair with this API-Key');
  });

  test('that is rolled back keeps the old pair and issues none', async () => {
    const company = await service.addCompany();
    const rotation = await operate(
      service.database,
      ({ keyPairs }) => keyPairs.rotate(keyOf(company), day, 'same'),
      'dry-run',
    );
    expect(await listed(rotation.apiKey)).toBeUndefined();
    expect(await listed(keyOf(company))).toMatchObject({ expiresAt: null });
  });
});

test('all pairs of a company are revoked at once, or those of one environment', async () => {
  const [company, other] = [await service.addCompany(), await service.addCompany()];
  const second = await service.addPair(company, 'test', ['projects:read']);
  const run = (...words: string[]) =>
    runOps(['companies', 'revoke-keys', company.name, ...words], operatorSettings(service.database));
  const asked = await run('--environment', 'test');
  expect(asked).toMatchObject({ exitCode: 5 });
  expect(asked.output).toContain(`2 live pairs of "${company.name}" will be rejected within one second`);
  expect(await statusOf(company.test)).toBe(200);
  expect((await run('--environment', 'test', '--yes')).exitCode).toBe(0);
  await until('both are refused', async () => (await statusOf(company.test)) === 401);
  await until('both are refused', async () => (await statusOf(second)) === 401);
  expect(await statusOf(company.production)).toBe(200);
  expect((await run('--yes')).exitCode).toBe(0);
  await until('the rest is refused', async () => (await statusOf(company.production)) === 401);
  expect(await statusOf(other.test)).toBe(200);
  const again = await run('--yes', '--json');
  expect(JSON.parse(again.output)).toEqual({ company: company.name, revoked: [] });
});

test('the activity of a pair is what it wrote since a time, also for the company of a bank', async () => {
  const [company, bank] = [await service.addCompany(), await service.addCompany()];
  await operate(service.database, ({ companies }) => companies.linkBank('test', company.name, bank.name));
  const project = await addProject(service.database.admin);
  const create = async () =>
    (
      await company.test
        .put('/company/integration/contributions/create', {
          project_id: project,
          amount: '5',
          user_hash: 'u',
        })
        .expect(201)
    ).body.transaction_id as string;
  const before = await create();
  const since = new Date().toISOString();
  const id = await create();
  await bank.test.put(`/company/integration/contributions/${id}`, { status: 'completed' }).expect(200);
  await rotate(keyOf(bank));
  await operate(service.database, ({ keyPairs }) => keyPairs.revoke(keyOf(bank)));
  const activity = async (pair: TestCompany) =>
    (
      JSON.parse(
        (
          await runOps(
            ['keys', 'activity', keyOf(pair), '--from', since, '--json'],
            operatorSettings(service.database),
          )
        ).output,
      ) as { acts: { what: string; count: number; transaction_ids: string[] }[] }
    ).acts.map(({ what, count, transaction_ids: ids }) => [what, count, ids]);
  expect(await activity(company)).toEqual([['contribution.created', 1, [id]]]);
  expect(await activity(bank)).toEqual([['contribution.completed', 1, [id]]]);
  expect(before).not.toBe(id);
  const unknown = await runOps(
    ['keys', 'activity', 'cpk_test_nothing', '--from', since],
    operatorSettings(service.database),
  );
  expect(unknown).toMatchObject({ exitCode: 1, output: expect.stringContaining('keys list --all') });
});

test('the list has the live pairs of one company and kind, and ended ones on request', async () => {
  const company = await service.addCompany();
  const { apiKey } = await rotate(keyOf(company));
  await operate(service.database, ({ keyPairs }) => keyPairs.revoke(keyOf(company)));
  const list = (includeEnded: boolean) =>
    operate(service.database, ({ keyPairs }) =>
      keyPairs.list({ company: company.name, kind: 'test', includeEnded }),
    );
  expect((await list(false)).map((pair) => pair.apiKey)).toEqual([apiKey]);
  expect((await list(true)).map((pair) => [pair.apiKey, pair.state])).toEqual([
    [keyOf(company), 'revoked'],
    [apiKey, 'live'],
  ]);
});

describe('what is safe to revoke', () => {
  const now = new Date('2026-06-01T12:00:00Z');
  const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);
  const pair = (changes: Partial<ListedKeyPair>): ListedKeyPair => ({
    company: 'Acme',
    kind: 'test',
    apiKey: 'cpk_test_old',
    scopes: ['projects:read'],
    state: 'live',
    createdAt: hoursAgo(1_000),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: hoursAgo(100),
    pepperVersion: 1,
    successorApiKey: null,
    successorLastUsedAt: null,
    ...changes,
  });
  const successor = { successorApiKey: 'cpk_test_new', successorLastUsedAt: hoursAgo(1) };

  test.each([
    ['used a moment ago, with a successor in use', pair({ lastUsedAt: hoursAgo(1), ...successor }), 'in use'],
    ['out of use, with a successor in use', pair(successor), 'safe'],
    ['never used, with a successor in use', pair({ lastUsedAt: null, ...successor }), 'safe'],
    [
      'out of use, with a successor out of use',
      pair({ ...successor, successorLastUsedAt: hoursAgo(30) }),
      'ask',
    ],
    ['out of use, with a successor never used', pair({ ...successor, successorLastUsedAt: null }), 'ask'],
    ['out of use, without a successor', pair({}), 'ask'],
    ['new and never used', pair({ lastUsedAt: null, createdAt: hoursAgo(2) }), 'ask'],
  ])('a pair that is %s', (_what, given, verdict) => {
    expect(advise(given, 24, now).verdict).toBe(verdict);
  });

  test('a successor is newer and has at least the same scopes', async () => {
    const company = await service.addCompany(undefined, ['contributions:create']);
    const { apiKey: lesser } = await service.addPair(company, 'test', ['projects:read']);
    const { apiKey: greater } = await service.addPair(company, 'test', scopes);
    await service.database.admin.query(`UPDATE key_pairs SET last_used_at = now() WHERE api_key = ANY ($1)`, [
      [lesser, greater],
    ]);
    expect((await listed(keyOf(company)))?.successorApiKey).toBe(greater);
    expect((await listed(greater!))?.successorApiKey).toBeNull();
  });
});

describe('peppers', () => {
  test('an old pepper can be removed only when no live pair needs it', async () => {
    const company = await service.addCompany();
    const peppers = new Map([...testPeppers, [2, Buffer.from('the second pepper of these tests')]]);
    const report = () =>
      operate(service.database, ({ keyPairs }) => keyPairs.reportPeppers(), 'read', peppers);
    const before = await report();
    expect(before.versions.map(({ version, isCurrent }) => [version, isCurrent])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(before.versions[0]?.advice).toContain('keep until');
    expect(before.toRotate.map((pair) => pair.apiKey)).toContain(keyOf(company));

    const { apiKey } = await operate(
      service.database,
      ({ keyPairs }) => keyPairs.rotate(keyOf(company), day, 'same'),
      'write',
      peppers,
    );
    const after = await report();
    expect(after.toRotate.map((pair) => pair.apiKey)).not.toContain(apiKey);
    await service.database.admin.query(`UPDATE key_pairs SET revoked_at = now() WHERE pepper_version = 1`);
    const last = await report();
    expect(last.versions[0]).toMatchObject({ version: 1, livePairs: 0, advice: 'can be removed' });
    expect(last.toRotate).toEqual([]);
  });

  test('a version that live pairs need but that is not configured is reported as missing', async () => {
    await service.addCompany();
    const report = await operate(
      service.database,
      ({ keyPairs }) => keyPairs.reportPeppers(),
      'read',
      new Map([[7, Buffer.from('another pepper of these tests')]]),
    );
    expect(report.isPepperMissing).toBe(true);
    expect(report.versions.find(({ version }) => version === 1)?.advice).toContain('missing');
  });
});
