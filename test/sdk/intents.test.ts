import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Client as PostgresClient } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import type { Intent, IntentStore, Settlement } from '../../packages/sdk/src/index.js';
import {
  ContributionError,
  InvalidInput,
  OutcomeUnknown,
  RateLimited,
  RequestRejected,
  WrongEnvironment,
} from '../../packages/sdk/src/index.js';
import { FileIntentStore, PostgresIntentStore } from '../../packages/sdk/src/node/index.js';
import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  completed,
  created,
  errorOf,
  fakeClient,
  order,
  problem,
  type Reply,
  testPair,
  user,
} from './fake-service';

const id = 'K7Q20CR5M3V9XHG';
const noCode: Reply = {
  status: 403,
  body: { title: 'Forbidden' },
  headers: { 'Content-Type': 'application/problem+json' },
};

function memoryStore(): IntentStore & { intents: Map<string, Intent> } {
  const intents = new Map<string, Intent>();
  return {
    intents,
    put: (intent) => Promise.resolve(void intents.set(intent.id, intent)),
    get: (name) => Promise.resolve(intents.get(name)),
    delete: (name) => Promise.resolve(void intents.delete(name)),
    list: () => Promise.resolve([...intents.values()]),
  };
}

/** A client whose store has one intent that an earlier process may have sent. */
async function afterCrash(replies: Reply[]) {
  const store = memoryStore();
  const before = fakeClient(['lost'], { store });
  await errorOf(before.client.contributions.create(order, { idempotencyKey: 'a' }));
  expect(store.intents.size).toBe(1);
  const settlements: Settlement[] = [];
  const onSettled = (settlement: Settlement): void => void settlements.push(settlement);
  return { store, settlements, ...fakeClient(replies, { store, onSettled }) };
}

test('an intent is stored before the first attempt, and forgotten after the response', async () => {
  const store = memoryStore();
  const { client, sent } = fakeClient([created], {
    store: { ...store, put: (intent) => (expect(sent).toEqual([]), store.put(intent)) },
  });
  const { idempotencyKey: key, data } = await client.contributions.create(order).withResponse();
  expect(data).toEqual({ transaction_id: id, status: 'pending' });
  expect(key).toMatch(/^[0-9a-f-]{36}$/);
  expect(sent[0]!.headers['Idempotency-Key']).toBe(key);
  expect(store.intents.size).toBe(0);
});

describe('an unknown return or undo', () => {
  const sums = { returned_amount: '1.00', net_amount: '24.00' };
  const return_id = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b';
  const recorded = { status: 201, body: { transaction_id: id, return_id, ...sums } };
  const undone = { status: 201, body: { transaction_id: id, undo_id: return_id, return_id, ...sums } };
  const moneyReturn = { kind: 'return', amount: 1, bank_reference: 'RT-1' } as const;
  const undo = { reason: 'dishonored', amount: '1.00', bank_reference: 'DH-1' } as const;

  test('is stored, and recovered with the same request', async () => {
    const store = memoryStore();
    const before = fakeClient(['lost'], { store });
    expect(await errorOf(before.client.bank.recordReturn(id, moneyReturn))).toBeInstanceOf(OutcomeUnknown);
    expect(await errorOf(before.client.bank.undoReturn(id, return_id, undo))).toBeInstanceOf(OutcomeUnknown);
    expect([...store.intents.values()].map(({ kind }) => kind)).toEqual(['return', 'undo']);

    const after = fakeClient([recorded, undone], { store });
    const { succeeded, rejected, remaining } = await after.client.recover();
    expect([succeeded.length, rejected, remaining]).toEqual([2, [], []]);
    const first = before.sent.map(({ url, body }) => [url, body]);
    for (const { url, body } of after.sent) expect(first).toContainEqual([url, body]);
    expect(store.intents.size).toBe(0);
  });

  test('can be sent again with another code and value date, which the service ignores', async () => {
    const store = memoryStore();
    const { client } = fakeClient(['lost', recorded, 'lost', undone], { store });
    const once = { maxAttempts: 1 };
    await errorOf(client.bank.recordReturn(id, { ...moneyReturn, value_date: '2026-11-24' }, once));
    const repeat = { ...moneyReturn, code: 'R01', value_date: '2026-11-25' };
    expect(await client.bank.recordReturn(id, repeat, once)).toMatchObject({ return_id });
    await errorOf(client.bank.undoReturn(id, return_id, undo, once));
    const dated = { ...undo, value_date: '2026-11-25' };
    expect(await client.bank.undoReturn(id, return_id, dated, once)).toMatchObject({ undo_id: return_id });
  });

  test.each([403, 404, 409])('is rejected for good by %i', async (status) => {
    const code = { 403: 'return_reserved', 404: 'return_not_found', 409: 'return_exceeds_amount' }[status]!;
    const store = memoryStore();
    const { client } = fakeClient(['lost', problem(status, code)], { store });
    await errorOf(client.bank.undoReturn(id, return_id, undo, { maxAttempts: 1 }));
    expect(store.intents.size).toBe(1);
    const { rejected } = await client.recover();
    expect(rejected).toMatchObject([{ error: { code } }]);
    expect(store.intents.size).toBe(0);
  });

  test('is not sent with an invalid reference, amount, date or id', async () => {
    const { client, sent } = fakeClient([]);
    for (const wrong of [{ bank_reference: '' }, { amount: '-1' }, { value_date: 'today' }]) {
      const error = await errorOf(client.bank.recordReturn(id, { ...moneyReturn, ...wrong }));
      expect(error).toMatchObject({ field: Object.keys(wrong)[0] });
    }
    expect(await errorOf(client.bank.undoReturn(id, 'RT-1', undo))).toMatchObject({ field: 'return_id' });
    expect(sent).toEqual([]);
  });
});

describe('an unknown correction', () => {
  const corrected_at = '2026-11-23T08:15:00.000Z';
  const recorded = { status: 201, body: { transaction_id: id, corrected_at } };
  const reason = 'Completed the wrong contribution';

  test('is stored, and recovered with the same reason', async () => {
    const store = memoryStore();
    const before = fakeClient(['lost'], { store });
    const error = await errorOf(before.client.bank.correct(id, { reason }));
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect(error.message).toContain(`Call correct again for ${id} with the same reason, or call recover().`);
    expect([...store.intents.values()]).toMatchObject([{ kind: 'correct', transaction_id: id }]);

    const after = fakeClient([recorded], { store });
    const { succeeded } = await after.client.recover();
    expect(succeeded).toMatchObject([{ response: { corrected_at } }]);
    expect(after.sent.map(({ url, body }) => [url, body])).toEqual(
      before.sent.map(({ url, body }) => [url, body]),
    );
    expect(store.intents.size).toBe(0);
  });

  test('is not ended by the response of another operation', async () => {
    const store = memoryStore();
    const { client } = fakeClient([completed, recorded], { store });
    expect(await errorOf(client.bank.correct(id, { reason }))).toBeInstanceOf(OutcomeUnknown);
    expect(await client.bank.correct(id, { reason })).toEqual(recorded.body);
  });

  test('of another reason is another request', async () => {
    const store = memoryStore();
    const { client } = fakeClient(['lost', 'lost'], { store });
    for (const each of [reason, 'another']) await errorOf(client.bank.correct(id, { reason: each }));
    expect(store.intents.size).toBe(2);
  });

  test.each<[number, string]>([
    [403, 'correction_reserved'],
    [404, 'transaction_not_found'],
    [409, 'contribution_not_completed'],
    [409, 'contribution_has_returns'],
  ])('is rejected for good by %i %s', async (status, code) => {
    const store = memoryStore();
    const { client } = fakeClient(['lost', problem(status, code)], { store });
    await errorOf(client.bank.correct(id, { reason }));
    const { rejected } = await client.recover();
    expect(rejected).toMatchObject([{ error: { code } }]);
    expect(store.intents.size).toBe(0);
  });

  test('is not sent without a reason, or with a long one', async () => {
    const { client, sent } = fakeClient([]);
    for (const wrong of ['', ' ', 'x'.repeat(501), 5]) {
      const error = await errorOf(client.bank.correct(id, { reason: wrong as string }));
      expect(error).toMatchObject({ field: 'reason' });
    }
    expect(await errorOf(client.bank.correct('mistyped', { reason }))).toMatchObject({
      field: 'transaction_id',
    });
    expect(sent).toEqual([]);
  });
});

test('nothing is sent if the store fails', async () => {
  const store = { ...memoryStore(), put: () => Promise.reject(new Error('disk full')) };
  const { client, sent } = fakeClient([created], { store });
  expect(await errorOf(client.contributions.create(order))).toMatchObject({ message: 'disk full' });
  expect(sent).toEqual([]);
});

test('a request that a failing store kept is unknown, and recovered with its own key', async () => {
  const store = memoryStore();
  const put = async (intent: Intent): Promise<void> => {
    await store.put(intent);
    throw new Error('connection reset after the commit');
  };
  const { client, sent } = fakeClient([created], { store: { ...store, put } });
  const error = await errorOf(client.contributions.create(order));
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(error.message).toContain('connection reset after the commit');
  expect(sent).toEqual([]);
  expect(await client.recover()).toMatchObject({ succeeded: [{ response: { transaction_id: id } }] });
  expect(error).toMatchObject({ idempotencyKey: sent[0]!.headers['Idempotency-Key'] });
  expect(sent).toHaveLength(1);
});

test('a request is unknown if the store cannot say whether it kept it', async () => {
  const fail = (): Promise<never> => Promise.reject(new Error('store is down'));
  let calls = 0;
  const get = (): Promise<undefined> => (calls++ === 0 ? Promise.resolve(undefined) : fail());
  const { client, sent } = fakeClient([created], { store: { ...memoryStore(), put: fail, get } });
  const error = await errorOf(client.contributions.create(order, { idempotencyKey: 'order-1' }));
  expect(error).toMatchObject({ name: 'OutcomeUnknown', idempotencyKey: 'order-1' });
  expect(sent).toEqual([]);
});

test.each(['{"status":200,"message":"OK"}', '{"status":"ok"}'])(
  'a completion is unknown after %s of a gateway with status 200',
  async (text) => {
    const store = memoryStore();
    const { client } = fakeClient([{ status: 200, text }], { store, maxAttempts: 1 });
    expect(await errorOf(client.bank.complete(id, { amount: 1 }))).toBeInstanceOf(OutcomeUnknown);
    expect(store.intents.size).toBe(1);
  },
);

test('an ephemeral key is new for each call and not stored', async () => {
  const { client, sent } = fakeClient([created]);
  await client.contributions.create(order, { idempotencyKey: 'ephemeral' });
  await client.contributions.create(order, { idempotencyKey: 'ephemeral' });
  const keys = sent.map(({ headers }) => headers['Idempotency-Key']);
  expect(new Set(keys).size).toBe(2);
  expect(keys).not.toContain('ephemeral');
});

describe('the outcome of a create', () => {
  test.each<[string, Reply]>([
    ['a lost response', 'lost'],
    ['half a body', { status: 201, text: '{"transaction_id": "K7' }],
    ['a page of a proxy with status 200', { status: 200, text: '<html></html>' }],
    ['a body without a transaction_id', { status: 201, body: {} }],
    ['502 of a proxy', { status: 502, text: '' }],
    ['503', problem(503, 'database_unavailable')],
    ['500 outcome_unknown', problem(500, 'outcome_unknown')],
    ['a 5xx of a later version', problem(599, 'new_code')],
    ...[401, 403, 404, 413, 429].map((status): [string, Reply] => [
      `a ${status} page of a firewall or proxy`,
      { status, text: '<html>' },
    ]),
    ['JSON of a gateway', { status: 403, body: { code: 'denied' } }],
    ['a problem document without a code', noCode],
    ['a redirect', { status: 302, text: '', headers: { Location: 'https://login.example' } }],
  ])('after %s is unknown, and the intent stays', async (_name, reply) => {
    const store = memoryStore();
    const { client } = fakeClient([reply], { store });
    const error = await errorOf(client.contributions.create(order, { idempotencyKey: 'order-1' }));
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect(error).toMatchObject({ idempotencyKey: 'order-1', message: expect.stringContaining('same') });
    expect(error.message + String(error.stack)).not.toContain(user);
    expect(store.intents.get('create:test:order-1')).toMatchObject({
      key: 'order-1',
      body: { amount: '25.00' },
    });
  });

  test.each<[string, Reply]>([
    ['409', problem(409, 'project_not_accepting')],
    ['401', problem(401, 'credentials_invalid')],
    ['429', problem(429, 'rate_limited')],
    ['4xx with a code of a later version', problem(418, 'new_code')],
  ])('after a first %s is that nothing was recorded, and the intent is deleted', async (_name, reply) => {
    const store = memoryStore();
    const { client } = fakeClient([reply], { store });
    expect(await errorOf(client.contributions.create(order))).toBeInstanceOf(RequestRejected);
    expect(store.intents.size).toBe(0);
  });

  test('after a 403 of a firewall is found by recover(), with the same key and one attempt each', async () => {
    const store = memoryStore();
    const blocked: Reply = { status: 403, text: '<html>Blocked</html>' };
    const { client, sent } = fakeClient([blocked, blocked, created], { store, maxAttempts: 5 });
    const error = await errorOf(client.contributions.create(order, { idempotencyKey: 'order-1' }));
    expect(error.message).toMatch(
      /^The request may be recorded\. .*"order-1" with the same idempotencyKey .*recover\(\)/,
    );
    expect(error.message).toMatch(/Last failure: 403: .*not from the service.*proxies/);
    expect(error.cause).toBeInstanceOf(RequestRejected);
    expect(await client.recover()).toMatchObject({ remaining: [{ intent: { key: 'order-1' } }] });
    expect(await client.recover()).toMatchObject({ succeeded: [{ response: { transaction_id: id } }] });
    expect(sent.map(({ headers }) => headers['Idempotency-Key'])).toEqual(Array(3).fill('order-1'));
    expect(store.intents.size).toBe(0);
  });

  test('after a lost response and a 429 is unknown', async () => {
    const store = memoryStore();
    const { client } = fakeClient(
      [{ status: 502, text: '', headers: { 'Retry-After': '0' } }, problem(429, 'rate_limited')],
      {
        store,
        maxAttempts: 2,
      },
    );
    const error = await errorOf(client.contributions.create(order));
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect(error.cause).toBeInstanceOf(RateLimited);
    expect(store.intents.size).toBe(1);
  });

  test.each<[string, Reply]>([
    ['a success', created],
    ['a rejection', problem(422, 'project_not_found')],
    ['a rejection that may be retried', problem(503, 'overloaded')],
    ['a page of a proxy', { status: 502, text: '<html>' }],
    ['a redirect', { status: 307 }],
  ])('%s from the wrong environment ends the call, and the intent stays', async (_what, reply) => {
    const store = memoryStore();
    const wrong = { ...(reply as Exclude<Reply, 'lost'>), headers: { Environment: 'production' } };
    const { client, sent } = fakeClient([wrong], { store, maxAttempts: 5 });
    expect(await errorOf(client.contributions.create(order))).toBeInstanceOf(WrongEnvironment);
    expect([sent.length, store.intents.size]).toEqual([1, 1]);
  });

  test('a stored key cannot be used for another amount', async () => {
    const { client, sent } = await afterCrash([created]);
    const call = client.contributions.create({ ...order, amount: '30' }, { idempotencyKey: 'a' });
    expect(await errorOf(call)).toMatchObject({
      field: 'idempotencyKey',
      message: expect.stringContaining('new key'),
    });
    expect(sent).toEqual([]);
  });

  test('one key can be used in both environments with one store', async () => {
    const store = memoryStore();
    await errorOf(
      fakeClient(['lost'], { store }).client.contributions.create(order, { idempotencyKey: 'a' }),
    );
    const inProduction = { ...drawKeyPair('production'), expectEnvironment: 'production', store } as const;
    const production = fakeClient(['lost'], inProduction).client;
    expect(await errorOf(production.contributions.create(order, { idempotencyKey: 'a' }))).toBeInstanceOf(
      OutcomeUnknown,
    );
    expect((await production.recover()).remaining).toMatchObject([{ intent: { environment: 'production' } }]);
    expect(store.intents.size).toBe(2);
  });
});

describe('recover', () => {
  test('sends the same request with the same key, reports it and forgets it', async () => {
    const { client, sent, store, settlements } = await afterCrash([created]);
    expect(await client.recover()).toMatchObject({
      succeeded: [{ intent: { key: 'a' }, response: { transaction_id: id } }],
      rejected: [],
      remaining: [],
    });
    expect(sent).toMatchObject([{ headers: { 'Idempotency-Key': 'a' }, body: order }]);
    expect(settlements).toMatchObject([{ outcome: 'succeeded', intent: { key: 'a' } }]);
    expect(store.intents.size).toBe(0);
  });

  test.each([
    [409, 'project_not_accepting'],
    [422, 'idempotency_key_reused'],
    [403, 'company_suspended'],
    [400, 'invalid_request'],
  ])('ends with %d %s, which the service decides after it looks for the key', async (status, code) => {
    const { client, store, settlements } = await afterCrash([problem(status, code)]);
    expect(await client.recover()).toMatchObject({
      succeeded: [],
      rejected: [{ error: { code } }],
      remaining: [],
    });
    expect(settlements).toMatchObject([{ outcome: 'rejected', error: { code } }]);
    expect(store.intents.size).toBe(0);
  });

  test.each<[string, Reply]>([
    ['401', problem(401, 'credentials_invalid')],
    ['403', problem(403, 'scope_missing')],
    ['404', problem(404, 'path_not_found')],
    ['429', problem(429, 'rate_limited')],
    ['400 for a body that a proxy cut off', problem(400, 'malformed_body')],
    ['400 for changed headers', problem(400, 'malformed_http')],
    ['413', problem(413, 'body_too_large')],
    ['415 for a removed Content-Type', problem(415, 'unsupported_media_type')],
    ['400 of a proxy', { status: 400, text: 'bad' }],
    ['a lost response', 'lost'],
  ])(
    'keeps the intent after %s, which does not say whether the first attempt succeeded',
    async (_name, reply) => {
      const { client, store, settlements } = await afterCrash([reply]);
      expect(await client.recover()).toMatchObject({
        succeeded: [],
        rejected: [],
        remaining: [{ intent: { key: 'a' } }],
      });
      expect([store.intents.size, settlements]).toEqual([1, []]);
    },
  );

  test('keeps the intent if onSettled fails, and reports the outcome again', async () => {
    const { store } = await afterCrash([created]);
    const failing = fakeClient([created], {
      store,
      onSettled: () => Promise.reject(new Error('no database')),
    });
    expect(await failing.client.recover()).toMatchObject({
      remaining: [{ error: { message: 'no database' } }],
    });
    expect((await fakeClient([created], { store }).client.recover()).succeeded).toHaveLength(1);
  });

  test.each([
    ['an Error', new Error('no database')],
    ['an Error with members', Object.assign(new Error('no database'), { code: '08006' })],
    ['no Error', 'no database'],
  ])('keeps the message in JSON if onSettled throws %s', async (_name, thrown) => {
    const { store } = await afterCrash([created]);
    const onSettled = jest.fn().mockRejectedValue(thrown);
    const recovery = await fakeClient([created], { store, onSettled }).client.recover();
    expect(recovery.remaining[0]!.error).toMatchObject({ name: 'ContributionError', cause: thrown });
    expect(JSON.parse(JSON.stringify(recovery))).toMatchObject({
      remaining: [{ error: { message: 'no database' } }],
    });
  });

  test('does not call a success rejected if onSettled fails and another process has reported it', async () => {
    const { store } = await afterCrash([created]);
    const onSettled = () => {
      store.intents.clear();
      return Promise.reject(new Error('no database'));
    };
    expect(await fakeClient([created], { store, onSettled }).client.recover()).toMatchObject({
      succeeded: [],
      rejected: [],
      remaining: [{ error: { message: 'no database' } }],
    });
  });

  test('leaves intents of the other environment alone', async () => {
    const { client, store, sent } = await afterCrash([created]);
    for (const intent of store.intents.values()) intent.environment = 'production';
    expect(await client.recover()).toEqual({ succeeded: [], rejected: [], remaining: [] });
    expect(sent).toEqual([]);
  });

  test('refuses requests of another pair before anything is sent, unless it is of the company', async () => {
    const { store } = await afterCrash([created]);
    const rotated = drawKeyPair('test');
    const other = fakeClient([created], { ...rotated, store });
    const { succeeded, rejected, remaining } = await other.client.recover();
    expect([succeeded, rejected, remaining.length]).toEqual([[], [], 1]);
    const again = await errorOf(other.client.contributions.create(order, { idempotencyKey: 'a' }));
    for (const error of [remaining[0]!.error, again]) {
      expect(error).toMatchObject({ name: 'InvalidInput', field: 'store' });
      expect(error.message).toContain(`companyApiKeys: ['${testPair.apiKey}']`);
    }
    expect([other.sent.length, store.intents.size]).toEqual([0, 1]);

    const options = { ...rotated, store, companyApiKeys: [testPair.apiKey] };
    expect((await fakeClient([created], options).client.recover()).succeeded).toHaveLength(1);
  });

  test('sends requests that version 0.1.0 stored without the API-Key', async () => {
    const { client, store } = await afterCrash([created]);
    for (const intent of store.intents.values()) {
      expect(intent.api_key).toBe(testPair.apiKey);
      delete intent.api_key;
    }
    expect((await client.recover()).succeeded).toHaveLength(1);
  });

  test('sends completions with their evidence, each transfer of its own', async () => {
    const store = memoryStore();
    const { client } = fakeClient(['lost'], { store });
    const evidence = { amount: 40, bank_reference: 'FT-1', value_date: '2026-11-20' };
    expect(await errorOf(client.bank.complete(id, evidence))).toMatchObject({
      name: 'OutcomeUnknown',
      transactionId: id,
    });
    await errorOf(client.bank.complete('k7q2-0cr5-m3v9-xhg', evidence));
    await errorOf(client.bank.complete(id, { ...evidence, bank_reference: 'FT-2' }));
    expect(store.intents.size).toBe(2);
    const later = fakeClient([completed], { store });
    expect((await later.client.recover()).succeeded).toHaveLength(2);
    expect(later.sent.map(({ body }) => body)).toEqual(
      ['FT-1', 'FT-2'].map((reference) => ({
        status: 'completed',
        ...evidence,
        amount: '40.00',
        bank_reference: reference,
      })),
    );
  });

  test('sends many intents, a few at once', async () => {
    const store = memoryStore();
    const before = fakeClient(['lost'], { store });
    for (let count = 0; count < 50; count += 1) await errorOf(before.client.contributions.create(order));
    const { client, sent } = fakeClient([created], { store });
    expect((await client.recover()).succeeded).toHaveLength(50);
    expect(new Set(sent.map(({ headers }) => headers['Idempotency-Key'])).size).toBe(50);
  });
});

describe('stores', () => {
  let database: TestDatabase;
  let postgres: PostgresClient;
  const folder = mkdtempSync(path.join(tmpdir(), 'sdk-intents-'));
  beforeAll(async () => {
    database = await createTestDatabase();
    postgres = new PostgresClient(sessionConfig({ connectionString: database.ownerUrl }));
    await postgres.connect();
    await new PostgresIntentStore(postgres).createTable();
  });
  afterAll(async () => {
    await postgres.end();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const intent = (name: string, storedAt: string): Intent => ({
    id: name,
    kind: 'create',
    environment: 'test',
    key: name,
    body: { ...order, name: 'Łucja "quoted"' },
    stored_at: storedAt,
  });

  test.each<[string, () => IntentStore]>([
    ['files', () => new FileIntentStore(path.join(folder, 'a', 'intents'))],
    ['PostgreSQL', () => new PostgresIntentStore(postgres)],
  ])('in %s keep intents, in order, until they are deleted', async (_name, open) => {
    expect(await open().list()).toEqual([]);
    const [first, second] = [
      intent('create:/../a', '2026-01-01T00:00:00Z'),
      intent('b', '2026-01-01T00:00:01Z'),
    ];
    await open().put(first);
    await open().put(second);
    await open().put(second);
    expect(await open().list()).toEqual([first, second]);
    expect(await open().get(first.id)).toEqual(first);
    await open().delete(first.id);
    await open().delete(first.id);
    expect(await open().get(first.id)).toBeUndefined();
    expect(await open().list()).toEqual([second]);
  });

  test('files are private, and an unfinished one is ignored', async () => {
    const place = path.join(folder, 'private');
    const store = new FileIntentStore(place);
    await store.put(intent('a', '2026-01-01T00:00:00Z'));
    writeFileSync(path.join(place, 'x.json.1.tmp'), '{"id"');
    expect(await store.list()).toHaveLength(1);
    const modes = [
      place,
      ...readdirSync(place)
        .filter((name) => name.endsWith('.json'))
        .map((name) => path.join(place, name)),
    ];
    if (process.platform !== 'win32')
      expect(modes.map((file) => statSync(file).mode & 0o077)).toEqual([0, 0]);
  });

  test('an unfinished file of a killed process is removed after a day, and no other', async () => {
    const place = path.join(folder, 'abandoned');
    const store = new FileIntentStore(place);
    await store.put(intent('a', '2026-01-01T00:00:00Z'));
    const nameOf = (end: string): string => `${'0'.repeat(64)}.json.${'1'.repeat(35)}${end}.tmp`;
    const ages = { [nameOf('a')]: 25, [nameOf('b')]: 23, 'notes.tmp': 25 };
    for (const [name, hours] of Object.entries(ages)) {
      writeFileSync(path.join(place, name), '{"id"');
      const time = Date.now() / 1_000 - hours * 3_600;
      utimesSync(path.join(place, name), time, time);
    }
    const intentFiles = readdirSync(place).filter((name) => name.endsWith('.json'));
    const old = new Date('2026-01-01');
    for (const name of intentFiles) utimesSync(path.join(place, name), old, old);
    expect(await store.list()).toHaveLength(1);
    expect(readdirSync(place).sort()).toEqual([...intentFiles, nameOf('b'), 'notes.tmp'].sort());
  });

  test('a put that fails leaves no file', async () => {
    const place = path.join(folder, 'failing');
    const store = new FileIntentStore(place);
    await store.put(intent('a', '2026-01-01T00:00:00Z'));
    const [name = ''] = readdirSync(place);
    // A folder has the name of the file, so that renaming fails.
    rmSync(path.join(place, name));
    mkdirSync(path.join(place, name, 'x'), { recursive: true });
    await expect(store.put(intent('a', '2026-01-01T00:00:00Z'))).rejects.toThrow();
    expect(readdirSync(place)).toEqual([name]);
  });

  test.each([
    '',
    '{"id":',
    'null',
    '[]',
    '{}',
    JSON.stringify(intent('create:copied', '2026-01-01T00:00:00Z')),
  ])('a file with another content than its intent is reported by name: %j', async (content) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'intents-'));
    try {
      const store = new FileIntentStore(folder);
      writeFileSync(path.join(folder, 'other.json'), content);
      const error = await errorOf(fakeClient([created], { store }).client.recover());
      expect(error).toBeInstanceOf(ContributionError);
      expect(error.message).toContain(`${path.join(folder, 'other.json')} is not`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a folder is checked', () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    for (const wrong of [undefined, '', file, path.join(file, 'intents')]) {
      // @ts-expect-error A program without types can pass nothing.
      const open = (): unknown => new FileIntentStore(wrong);
      expect(open).toThrow(InvalidInput);
      expect(open).toThrow(/^folder: /);
    }
  });

  test('the name of the table is checked', () => {
    expect(() => new PostgresIntentStore(postgres, 'a; DROP TABLE b')).toThrow(TypeError);
  });
});
