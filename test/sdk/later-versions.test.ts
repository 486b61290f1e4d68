import type { LogEvent } from '../../packages/sdk/src/index.js';
import { RequestRejected } from '../../packages/sdk/src/index.js';
import { errorOf, fakeClient, order, problem, testPair, user } from './fake-service';

/** Later versions of the service add fields, codes and statuses. None of them breaks the SDK. */
test('unknown fields and statuses of a response reach the caller', async () => {
  const body = { transaction_id: 'K7Q20CR5M3V9XHG', status: 'returned', returned_at: '2027-01-01T00:00:00Z' };
  const { client } = fakeClient([{ status: 200, body }]);
  expect(await client.contributions.retrieve('K7Q20CR5M3V9XHG')).toEqual(body);
  expect(await client.contributions.create(order, { idempotencyKey: 'a' })).toEqual(body);
});

test('an unknown code is a rejection with its status and its fields', async () => {
  const { client } = fakeClient([
    problem(451, 'not_here', { errors: [{ code: 'odd', detail: 'D.', place: 'x' }], hint: 1 }),
  ]);
  const error = await errorOf(client.projects.retrieve(1));
  expect(error).toBeInstanceOf(RequestRejected);
  expect(error).toMatchObject({ status: 451, code: 'not_here', errors: [{ code: 'odd' }] });
});

test('a problem document with fields of the wrong type is still a rejection', async () => {
  const { client } = fakeClient([problem(404, 'x', { detail: 7, errors: 'none', retryable: 'no' })]);
  expect(await errorOf(client.projects.retrieve(1))).toMatchObject({
    code: 'x',
    errors: [],
    retryable: false,
  });
});

test('entries of errors without a detail are left out', async () => {
  const errors = [
    null,
    'x',
    [],
    { pointer: {}, detail: 5 },
    { pointer: '/amount', code: 'odd', detail: 'D.' },
  ];
  const { client } = fakeClient([problem(400, 'invalid_request', { errors })]);
  const error = await errorOf(client.contributions.create(order, { idempotencyKey: 'a' }));
  expect(error).toBeInstanceOf(RequestRejected);
  expect(error.message).toBe('invalid_request: Detail. /amount: D.');
});

test('a response without the header Environment is accepted', async () => {
  const { client } = fakeClient([{ status: 200, body: { data: [] } }], {
    fetch: () => Promise.resolve(new Response('{"data":[]}')),
  });
  expect(await client.projectsStories.list()).toEqual({ data: [] });
});

test('a failure that names the secret or the user reaches neither the log nor the error', async () => {
  const events: LogEvent[] = [];
  const { client } = fakeClient([], {
    logger: (event) => events.push(event),
    fetch: () =>
      Promise.reject(new Error(`no route with ${testPair.apiSecret} for ${encodeURIComponent(user)}`)),
  });
  const error = await errorOf(client.projectsStories.list({ user_hash: user }));
  for (const text of [JSON.stringify(events), error.message, String((error.cause as Error).stack)]) {
    expect(text).toContain('no route with [redacted] for [redacted]');
    expect(text).not.toContain(testPair.apiSecret);
  }
});

test('a logger that throws changes nothing', async () => {
  const { client } = fakeClient([{ status: 200, body: { data: [] } }], {
    logger: () => {
      throw new Error('broken');
    },
  });
  expect(await client.projectsStories.list()).toEqual({ data: [] });
});

test('a list that repeats its cursor ends with an error', async () => {
  const { client } = fakeClient([{ status: 200, body: { data: [1], has_more: true, next_cursor: 'a' } }]);
  const read = async (): Promise<void> => {
    let rows = 0;
    for await (const page of client.projects.list().pages()) {
      rows += page.data.length;
      if (rows > 10) throw new Error('endless');
    }
  };
  expect(await errorOf(read())).toMatchObject({ message: expect.stringContaining('cursor') });
});
