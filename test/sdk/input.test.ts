import { InvalidInput, transactionId } from '../../packages/sdk/src/index.js';
import { generateTransactionId, parseTransactionId } from '../../src/shared/transaction-id';
import { randomCases } from '../support/full-run';
import { created, errorOf, fakeClient, order, problem, user } from './fake-service';

const id = 'K7Q20CR5M3V9XHG';

test.each<[string, object, string, RegExp]>([
  ['a float with more decimals', { amount: 0.1 + 0.2 }, 'amount', /more than two decimals.*0\.30/],
  ['three decimals', { amount: '25.001' }, 'amount', /more than two decimals/],
  ['a negative amount', { amount: -1 }, 'amount', /plain decimal/],
  ['an exponent', { amount: 1e21 }, 'amount', /plain decimal/],
  ['a comma', { amount: '25,00' }, 'amount', /plain decimal/],
  ['zero', { amount: '0.00' }, 'amount', /at least 0\.01/],
  ['a symbol', { amount: Symbol('25') }, 'amount', /Pass US dollars/],
  ['an object without a prototype', { amount: Object.create(null) as unknown }, 'amount', /Pass US dollars/],
  ['no amount', { amount: undefined }, 'amount', /Pass US dollars/],
  ['an empty user_hash', { user_hash: '' }, 'user_hash', /1 to 1024/],
  ['an address that is not encrypted', { user_hash: 'zoë@example.org' }, 'user_hash', /ASCII/],
  ['an email address', { user_hash: 'zoe@example.org' }, 'user_hash', /Encrypt it, and pass the result/],
  ['a user_hash with a line break', { user_hash: 'abc\ndef' }, 'user_hash', /ASCII/],
  ['a long user_hash', { user_hash: 'x'.repeat(1025) }, 'user_hash', /1024/],
  ['a project that is no number', { project_id: 'water' }, 'project_id', /positive integer/],
  ['a project 0', { project_id: 0 }, 'project_id', /positive integer/],
  ['a long name', { name: 'x'.repeat(101) }, 'name', /100 characters/],
])('%s is rejected before anything is sent', async (_name, field, name, advice) => {
  const { client, sent } = fakeClient([created]);
  const error = await errorOf(client.contributions.create({ ...order, ...field }, { idempotencyKey: 'a' }));
  expect(error).toBeInstanceOf(InvalidInput);
  expect(error).toMatchObject({ field: name, message: expect.stringMatching(advice) });
  expect(error.message).not.toContain('example.org');
  expect(sent).toEqual([]);
});

test.each<[string, (client: ReturnType<typeof fakeClient>['client']) => PromiseLike<unknown>]>([
  ['projectsStories.list', (client) => client.projectsStories.list({ user_hash: '' })],
  ['projects.list', (client) => client.projects.list({ user_hash: '' })],
  ['projects.retrieve', (client) => client.projects.retrieve(-1)],
  ['stories.list', (client) => client.stories.list(1.5)],
  ['stories.recordView', (client) => client.stories.recordView(1, { user_hash: '' })],
  ['contributions.retrieve', (client) => client.contributions.retrieve('K7Q20CR5M3V9HXG')],
  ['contributions.list', (client) => client.contributions.list({ created_from: '2026-11-01' })],
  ['contributions.findByIdempotencyKey', (client) => client.contributions.findByIdempotencyKey('')],
  ['contributions.create without a key', (client) => client.contributions.create(order)],
  [
    'contributions.create with a key that is no ASCII',
    (client) => client.contributions.create(order, { idempotencyKey: 'ü' }),
  ],
  ['bank.complete', (client) => client.bank.complete('../create')],
  ['bank.complete with a date in words', (client) => client.bank.complete(id, { value_date: 'today' })],
  ['bank.readWindow', (client) => client.bank.readWindow({ from: 'yesterday' })],
  ['a call with a wrong limit', (client) => client.projects.retrieve(1, {}, { maxAttempts: 0.5 })],
  ['recover without a store', (client) => client.recover()],
])('%s rejects wrong input before anything is sent', async (_name, call) => {
  const { client, sent } = fakeClient([created]);
  expect(await errorOf(call(client))).toBeInstanceOf(InvalidInput);
  expect(sent).toEqual([]);
});

test('a key with an email address is rejected for a create, but can be looked up', async () => {
  const { client, sent } = fakeClient([
    { status: 200, body: { data: [], has_more: false, complete_until: '' } },
  ]);
  for (const key of ['zoe@example.org', 'order 7 of zoe@mail.example.org']) {
    const error = await errorOf(client.contributions.create(order, { idempotencyKey: key }));
    expect(error).toMatchObject({ field: 'idempotencyKey', message: expect.not.stringContaining('example') });
  }
  expect(sent).toEqual([]);
  expect(await client.contributions.findByIdempotencyKey('zoe@example.org')).toBeUndefined();
});

test('a hash and a key with an @ are sent unless they are email addresses', async () => {
  const { client, sent } = fakeClient([created]);
  await client.contributions.create({ ...order, user_hash: 'v1@q2Zk1sV0u==' }, { idempotencyKey: 'order@7' });
  expect(sent).toHaveLength(1);
});

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /^completions: /],
  ['an object', {}, /^completions: /],
  ['a line that is no object', [null], /^completion 1: completion: Pass an object/],
  ['a misspelled name', [{ transaction_id: id, bankReference: 'FT-1' }], /^completion 1: .*bank_reference\?/],
  [
    'a wrong amount',
    [
      { transaction_id: id, amount: 1 },
      { transaction_id: id, amount: '1,5' },
    ],
    /^completion 2: amount: /,
  ],
  ['a wrong date', [{ transaction_id: id, amount: 1, value_date: 'today' }], /^completion 1: value_date: /],
  ['no id', [{ amount: 1 }], /^completion 1: transaction_id: /],
])('completeMany with %s sends nothing', async (_name, completions, advice) => {
  const { client, sent } = fakeClient([created]);
  const error = await errorOf(client.bank.completeMany({ completions: completions as [] }));
  expect(error).toBeInstanceOf(InvalidInput);
  expect(error.message).toMatch(advice);
  expect(sent).toEqual([]);
});

test('completeMany sends everything when it is awaited, once', async () => {
  const text = `${JSON.stringify({ line: 1, transaction_id: id, outcome: 'completed' })}\n{"summary": {}}\n`;
  const { client, sent } = fakeClient([{ status: 200, text }]);
  const completions = [1, 2].map((amount) => ({ transaction_id: id, amount: `${amount}.00` }));
  const call = client.bank.completeMany({ completions }, { linesPerRequest: 1 });
  expect(sent).toHaveLength(0);
  const outcomes = await call;
  expect(outcomes).toMatchObject([
    { line: 1, outcome: 'completed' },
    { line: 2, outcome: 'completed' },
  ]);
  expect(await call).toBe(outcomes);
  expect(sent).toHaveLength(2);
});

test('completeMany rejects when it is awaited with wrong input', async () => {
  const { client, sent } = fakeClient([created]);
  const error = await errorOf(
    client.bank.completeMany({ completions: [{ transaction_id: id, amount: '1,5' }] }),
  );
  expect(error).toBeInstanceOf(InvalidInput);
  expect(error.message).toMatch(/^completion 1: amount: /);
  expect(sent).toEqual([]);
});

test.each<[string, (client: ReturnType<typeof fakeClient>['client']) => PromiseLike<unknown>]>([
  ['open', (client) => client.reconciliation.list({ open: 'no' as never })],
  ['highlights', (client) => client.projects.retrieve(1, { highlights: 'false' as never })],
  ['description', (client) => client.projects.retrieve(1, { description: 0 as never })],
  ['dry_run', (client) => client.statements.upload({ file: new Uint8Array(1), dry_run: 'no' as never })],
  [
    'dry_run',
    (client) =>
      client.bank.completeMany({
        completions: [{ transaction_id: id, amount: '1.00' }],
        dry_run: 'false' as never,
      }),
  ],
])('%s must be a boolean, not a text', async (field, call) => {
  const { client, sent } = fakeClient([created]);
  expect(await errorOf(call(client))).toMatchObject({ field, message: `${field}: Pass true or false.` });
  expect(sent).toEqual([]);
});

test.each([true, false, null])('a replay with dry_run %s sends nothing', async (isPreview) => {
  const { client, sent } = fakeClient([created]);
  const part = { from_sequence: 1, dry_run: isPreview } as object;
  expect(await errorOf(client.webhookEndpoints.createReplay(id, part))).toMatchObject({
    ...{ name: 'InvalidInput', field: 'dry_run' },
    message: 'dry_run: Call previewReplay.',
  });
  expect(sent).toEqual([]);
});

test('a flag that is false is not sent', async () => {
  const { client, sent } = fakeClient([
    { status: 200, body: { data: [], has_more: false, next_cursor: null } },
  ]);
  await client.reconciliation.list({ open: false });
  await client.reconciliation.list({ open: true });
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(['', '?open=1']);
});

test('follow with after_id needs after', async () => {
  const { client, sent } = fakeClient([created]);
  const error = await errorOf(client.events.follow({ after_id: 'a' }).next());
  expect(error).toBeInstanceOf(InvalidInput);
  expect(error.message).toBe('after_id: It needs after.');
  expect(sent).toEqual([]);
});

test.each([
  [undefined, 'undefined'],
  [5, 'number'],
])('a transaction_id of %p is rejected for its type, not as mistyped', async (wrong, type) => {
  const { client } = fakeClient([created]);
  const error = await errorOf(client.contributions.retrieve(wrong as never));
  expect(error.message).toBe(`transaction_id: Pass it as text; you passed ${type}.`);
});

test('the message of a rejection names the places of its errors', async () => {
  const { client } = fakeClient([
    problem(400, 'invalid_request', {
      detail: 'The request has 1 problem. See errors.',
      errors: [{ code: 'amount_invalid', detail: 'Send an amount from 0.01.', pointer: '/amount' }],
    }),
  ]);
  const error = await errorOf(client.contributions.create(order, { idempotencyKey: 'a' }));
  expect(error.message).toBe(
    'invalid_request: The request has 1 problem. /amount: Send an amount from 0.01.',
  );
  expect(error).toMatchObject({ detail: 'The request has 1 problem. See errors.' });
});

test.each([
  [25, '25.00'],
  ['25', '25.00'],
  [25.5, '25.50'],
  ['0.01', '0.01'],
  [1_000_000, '1000000.00'],
])('the amount %p is sent as text', async (amount, text) => {
  const { client, sent } = fakeClient([created]);
  await client.contributions.create({ ...order, amount }, { idempotencyKey: 'a' });
  expect(sent[0]!.body).toEqual({ project_id: 1, amount: text, user_hash: user });
  expect(sent[0]!.headers['Idempotency-Key']).toBe('a');
});

test('queries are percent-encoded', async () => {
  const { client, sent } = fakeClient([{ status: 200, body: { data: [] } }]);
  await client.projectsStories.list({ user_hash: 'a+b/c=&d' });
  expect(sent[0]!.url).toMatch(/\?user_hash=a%2Bb%2Fc%3D%26d$/);
});

describe('transactionId', () => {
  test('agrees with the service on generated ids, on typos and on other spellings', () => {
    for (let count = 0; count < randomCases(2_000); count += 1) {
      const generated = generateTransactionId('KBCD', new Date());
      const position = count % 15;
      const typo = `${generated.slice(0, position)}7${generated.slice(position + 1)}`;
      const spelling = generated
        .toLowerCase()
        .replace(/(.{4})/g, '$1-')
        .replaceAll('0', 'o')
        .replaceAll('1', 'l');
      for (const text of [generated, typo, spelling]) {
        expect(transactionId.parse(text)).toBe(parseTransactionId(text)?.transactionId);
      }
      expect(transactionId.isValid(generated)).toBe(true);
      expect(transactionId.isValid(generated.toLowerCase())).toBe(false);
    }
  });

  test('rejects values that are no text', () => {
    // @ts-expect-error A program without types can pass nothing.
    expect(() => transactionId.parse()).toThrow(InvalidInput);
  });

  test.each(['', 'K7Q20CR5M3V9XH', 'K7Q20CR5M3V9XHGG', '17Q20CR5M3V9XHG', 'U'.repeat(15)])(
    'rejects %p',
    (text) => {
      expect(transactionId.parse(text)).toBeUndefined();
      expect(transactionId.isValid(text)).toBe(false);
    },
  );
});

test('an error keeps its message in JSON', () => {
  const error = new InvalidInput('amount', 'Send a decimal.');
  expect(JSON.parse(JSON.stringify([{ error }]))).toEqual([
    { error: { name: 'InvalidInput', message: 'amount: Send a decimal.', field: 'amount' } },
  ]);
});
