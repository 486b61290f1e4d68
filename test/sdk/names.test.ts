import {
  ContributionService,
  type Intent,
  type IntentStore,
  InvalidInput,
} from '../../packages/sdk/src/index.js';
import { created, errorOf, fakeClient, order, testPair } from './fake-service';

/** A program without types can pass any name. None is dropped, because it would change the call. */
const id = 'K7Q20CR5M3V9XHG';
const uuid = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b';
type Untyped = Record<string, (...values: unknown[]) => PromiseLike<unknown>>;

function storeOf(intents: Map<string, Intent>): IntentStore {
  return {
    put: (intent) => Promise.resolve(void intents.set(intent.id, intent)),
    get: (name) => Promise.resolve(intents.get(name)),
    delete: (name) => Promise.resolve(void intents.delete(name)),
    list: () => Promise.resolve([...intents.values()]),
  };
}

const untyped = (part: unknown): Untyped => part as Untyped;
/** Reads one row of a list that may be a generator. */
const nextOf = (rows: unknown): PromiseLike<unknown> => (rows as AsyncGenerator).next();

test.each<[string, (client: ContributionService) => PromiseLike<unknown>, string, RegExp]>([
  [
    'a create with another name of the key',
    ({ contributions }) => untyped(contributions)['create']!(order, { key: 'order-1' }),
    'key',
    /Did you mean idempotencyKey\?/,
  ],
  [
    'a create with a note',
    ({ contributions }) => untyped(contributions)['create']!({ ...order, note: 'x' }),
    'note',
    /Known: project_id, amount, currency, status, user_hash, name\./,
  ],
  [
    'a create in capitals',
    ({ contributions }) => untyped(contributions)['create']!({ ...order, projectId: 1 }),
    'projectId',
    /Did you mean project_id\?/,
  ],
  [
    'a completion with a misspelled reference',
    ({ bank }) => untyped(bank)['complete']!(id, { bankReference: 'FT-1' }),
    'bankReference',
    /Did you mean bank_reference\?/,
  ],
  [
    'a return with a misspelled date',
    ({ bank }) => untyped(bank)['recordReturn']!(id, { kind: 'return', amount: 1, valueDate: '2026-11-20' }),
    'valueDate',
    /Did you mean value_date\?/,
  ],
  [
    'an undo with a comment',
    ({ bank }) => untyped(bank)['undoReturn']!(id, uuid, { comment: 'x' }),
    'comment',
    /Known: /,
  ],
  [
    'a correction with an amount',
    ({ bank }) => untyped(bank)['correct']!(id, { reason: 'x', amount: '25.00' }),
    'amount',
    /Known: reason, completed_at\./,
  ],
  [
    'a window by another time',
    ({ bank }) => untyped(bank)['readWindow']!({ from: '2026-11-01T00:00:00Z', by: 'paid' }),
    'by',
    /'created'/,
  ],
  [
    'a list with a misspelled limit',
    ({ projects }) => untyped(projects)['list']!({ limt: 5 }),
    'limt',
    /limit\?/,
  ],
  [
    'a project with a misspelled parameter',
    ({ projects }) => untyped(projects)['retrieve']!(1, { highlight: true }),
    'highlight',
    /highlights\?/,
  ],
  [
    'a settlement with a misspelled member',
    ({ sandbox }) => untyped(sandbox)['settle']!(id, { afterSeconds: 2 }),
    'afterSeconds',
    /after_seconds\?/,
  ],
  [
    'a line with a misspelled member',
    ({ statements }) => untyped(statements)['importSettlements']!({ lines: [{ ref: 'FT-1' }] }),
    'ref',
    /reference\?/,
  ],
  [
    'an upload with a misspelled parameter',
    ({ statements }) => untyped(statements)['upload']!({ file: new Uint8Array(1), dryRun: true }),
    'dryRun',
    /dry_run\?/,
  ],
  [
    'many completions with a misspelled parameter',
    ({ bank }) => untyped(bank)['completeMany']!({ completions: [], dryRun: true }),
    'dryRun',
    /dry_run\?/,
  ],
  [
    'a feed with a misspelled position',
    ({ events }) => nextOf(untyped(events)['follow']!({ afterID: uuid })),
    'afterID',
    /after_id\?/,
  ],
  [
    'a call with a misspelled limit',
    ({ events }) => untyped(events)['retrieve']!(uuid, {}, { timeout: 5 }),
    'timeout',
    /timeoutMs\?/,
  ],
  [
    'a recovery with a misspelled limit',
    (client) => untyped(client)['recover']!({ deadline: 5 }),
    'deadline',
    /Ms\?/,
  ],
  ['no options', ({ events }) => untyped(events)['retrieve']!(uuid, {}, null), 'options', /Pass an object/],
  ['no contribution', ({ contributions }) => untyped(contributions)['create']!(null), 'params', /an object/],
  ['no evidence', ({ bank }) => untyped(bank)['complete']!(id, null), 'params', /an object/],
  [
    'an option among the parameters',
    ({ contributions }) => untyped(contributions)['create']!({ ...order, idempotencyKey: 'order-1' }),
    'idempotencyKey',
    /Pass it in the options, after the params\./,
  ],
  [
    'an option of an operation without parameters',
    ({ webhookEndpoints }) => untyped(webhookEndpoints)['list']!({ timeoutMs: 5 }),
    'timeoutMs',
    /Pass it in the options/,
  ],
  [
    'a parameter of an operation without parameters',
    ({ webhookEndpoints }) => untyped(webhookEndpoints)['list']!({ limit: 5 }),
    'limit',
    /Known: none\./,
  ],
])('%s is rejected before it is stored or sent', async (_name, call, field, advice) => {
  const intents = new Map<string, Intent>();
  const { client, sent } = fakeClient([created], { store: storeOf(intents) });
  const error = await errorOf(call(client));
  expect(error).toBeInstanceOf(InvalidInput);
  expect(error).toMatchObject({ field, message: expect.stringMatching(advice) });
  expect([sent.length, intents.size]).toEqual([0, 0]);
});

test('a create with a wrong limit or signal is not stored, so recover() does not send it', async () => {
  const intents = new Map<string, Intent>();
  const { client, sent } = fakeClient([created], { store: storeOf(intents) });
  for (const wrong of [{ maxAttempts: 0 }, { timeoutMs: '5' }, { signal: new AbortController() }]) {
    const error = await errorOf(untyped(client.contributions)['create']!(order, wrong));
    expect(error).toMatchObject({ field: Object.keys(wrong)[0] });
  }
  expect([sent.length, intents.size]).toEqual([0, 0]);
});

test('a stored request of another version is recovered with the members that it has', async () => {
  const body = { ...order, campaign: 'spring' };
  const intent = {
    id: 'create:a',
    kind: 'create',
    environment: 'test',
    key: 'a',
    body,
    stored_at: '',
  } as const;
  const { client, sent } = fakeClient([created], { store: storeOf(new Map([[intent.id, intent]])) });
  expect(await client.recover()).toMatchObject({ succeeded: [{ intent: { id: 'create:a' } }] });
  expect(sent[0]!.body).toEqual(body);
});

const good = {
  ...testPair,
  apiUrl: 'https://api.example.org/company/integration',
  expectEnvironment: 'test' as const,
};
const store = storeOf(new Map());

test.each<[string, object, string, RegExp]>([
  ['timeout', { timeout: 5_000 }, 'timeout', /timeoutMs\?/],
  ['apikey', { apikey: 'a' }, 'apikey', /apiKey\?/],
  ['a time as text', { timeoutMs: '5000' }, 'timeoutMs', /positive number/],
  ['a folder as the store', { store: './intents' }, 'store', /FileIntentStore/],
  [
    'a store without a method',
    { store: { ...store, delete: undefined } },
    'store',
    /put, get, delete and list/,
  ],
  ['no store, but onSettled', { onSettled: () => undefined }, 'onSettled', /Pass a store too/],
  ['an onSettled that is no function', { store, onSettled: 'save' }, 'onSettled', /Pass a function/],
  ['a logger that is no function', { logger: console }, 'logger', /Pass a function/],
])('a client with %s is rejected', (_name, options, field, advice) => {
  const create = (): ContributionService => new ContributionService({ ...good, ...options });
  expect(create).toThrow(InvalidInput);
  expect(create).toThrow(`${field}: `);
  expect(create).toThrow(advice);
});
