import {
  type CallOptions,
  ConnectionFailed,
  DeadlineExceeded,
  RateLimited,
  RequestRejected,
} from '../../packages/sdk/src/index.js';
import type { LogEvent } from '../../packages/sdk/src/index.js';
import { createContribution, listProjects } from '../../packages/sdk/src/generated/api.js';
import { checkOptions } from '../../packages/sdk/src/options.js';
import { Transport } from '../../packages/sdk/src/transport.js';
import {
  created,
  errorOf,
  fakeClient,
  fakeFetch,
  order,
  problem,
  type Reply,
  testPair,
} from './fake-service';
import { longTest } from '../support/full-run';

/** Sends a keyed create to a fake service, with a clock that only waiting moves. */
async function play(replies: Reply[], options: CallOptions = {}, random = 0.5) {
  const { fetch, sent } = fakeFetch(...replies);
  const waits: number[] = [];
  const events: LogEvent[] = [];
  let nowMs = 0;
  const settings = checkOptions({
    ...testPair,
    apiUrl: 'https://api.example.org/company/integration',
    expectEnvironment: 'test',
    fetch,
    logger: (event) => events.push(event),
  });
  const transport = new Transport(settings, {
    now: () => nowMs,
    random: () => random,
    wait: (milliseconds) => {
      waits.push(milliseconds);
      nowMs += milliseconds;
      return Promise.resolve();
    },
  });
  const call = transport.send({ operation: createContribution, key: 'a', body: {} }, options);
  const result = await call.catch((error: unknown) => error as Error);
  return { result, sent, waits, events, transport };
}

const after = (reply: Reply, seconds: number | string): Reply =>
  reply === 'lost' ? reply : { ...reply, headers: { ...reply.headers, 'Retry-After': String(seconds) } };
const proxy502: Reply = { status: 502, text: '<html>Bad gateway</html>' };

test.each<[string, Reply]>([
  ['a lost connection', 'lost'],
  ['a 502 page of a proxy', proxy502],
  ['a 503 page of a proxy', { status: 503, text: '' }],
  ['408 request_timeout', problem(408, 'request_timeout')],
  ['429 rate_limited', problem(429, 'rate_limited')],
  ['503 overloaded', problem(503, 'overloaded')],
  ['an unknown code that says it may be retried', problem(425, 'too_early', { retryable: true })],
  ['500 internal_error', problem(500, 'internal_error')],
])('after %s it retries with the same key', async (_name, reply) => {
  const { result, sent } = await play([reply, created]);
  expect(result).toMatchObject({ status: 201, attempts: 2 });
  expect(sent.map(({ headers }) => headers['Idempotency-Key'])).toEqual(['a', 'a']);
  expect(new Set(sent.map(({ headers }) => headers['X-Request-Id'])).size).toBe(2);
});

test.each([
  [400, 'invalid_request'],
  [401, 'credentials_invalid'],
  [403, 'scope_missing'],
  [404, 'transaction_not_found'],
  [409, 'amount_mismatch'],
  [409, 'completed_by_another'],
  [422, 'idempotency_key_reused'],
  [429, 'authentication_throttled'],
  [418, 'a_code_of_a_later_version'],
  [500, 'outcome_unknown'],
  [501, 'a_code_of_a_later_version'],
])('after %d %s it does not retry', async (status, code) => {
  const { result, sent } = await play([problem(status, code)]);
  expect(result).toMatchObject({ code, status, requestId: 'r' });
  expect(result).toBeInstanceOf(status === 429 ? RateLimited : RequestRejected);
  expect(sent).toHaveLength(1);
});

test('it retries internal_error once', async () => {
  const { result, sent } = await play([problem(500, 'internal_error')]);
  expect(result).toMatchObject({ code: 'internal_error' });
  expect(sent).toHaveLength(2);
});

test('it retries authentication_throttled once the pair is known to be valid', async () => {
  const { transport, sent, waits } = await play([
    created,
    after(problem(429, 'authentication_throttled'), 2),
    created,
  ]);
  await transport.send({ operation: createContribution, key: 'b', body: {} });
  expect([sent.length, waits]).toEqual([3, [2_000]]);
});

longTest('a response without an end times out, and counts as lost', async () => {
  let isCancelled = false;
  const chunk = new Uint8Array(8 * 1_048_576);
  const endless = () =>
    new ReadableStream({
      pull: (stream) => {
        stream.enqueue(chunk);
      },
      cancel: () => {
        isCancelled = true;
      },
    });
  const settings = checkOptions({
    ...testPair,
    apiUrl: 'https://api.example.org/company/integration',
    expectEnvironment: 'test',
    fetch: () => Promise.resolve(new Response(endless(), { status: 201 })),
    maxAttempts: 1,
  });
  const error = await errorOf(new Transport(settings).send({ operation: listProjects }));
  expect(error).toBeInstanceOf(ConnectionFailed);
  expect(error.message).toContain('more than 67108864 bytes');
  expect(isCancelled).toBe(true);
});

describe('delays', () => {
  test.each([
    ['the shortest', 0, [500, 500, 500, 500]],
    ['middle', 0.5, [750, 1_250, 2_250, 4_250]],
    ['the longest', 1, [1_000, 2_000, 4_000, 8_000]],
  ])('%s delays have full jitter up to a bound that doubles', async (_name, random, expected) => {
    const { result, waits, sent } = await play(['lost'], {}, random);
    expect(waits).toEqual(expected);
    expect(sent).toHaveLength(5);
    expect(result).toBeInstanceOf(ConnectionFailed);
  });

  test.each<[string, Reply]>([
    ['429', problem(429, 'rate_limited')],
    ['503', problem(503, 'overloaded')],
    ['503 of a proxy', { status: 503, text: '' }],
  ])('Retry-After of a %s is the delay', async (_name, reply) => {
    expect((await play([after(reply, 7), created])).waits).toEqual([7_000]);
  });

  test('Retry-After may be a date', async () => {
    const { waits } = await play([
      after(problem(503, 'overloaded'), new Date(Date.now() + 3_000).toUTCString()),
      created,
    ]);
    expect(waits[0]).toBeGreaterThan(1_000);
    expect(waits[0]).toBeLessThanOrEqual(3_000);
  });

  test.each(['0', '-5', '1.5', '120, 120', 'soon', '', 'Wed, 21 Oct 2015 07:28:00 GMT'])(
    'Retry-After %j is no delay, so the backoff applies',
    async (value) => {
      expect((await play([after(problem(503, 'overloaded'), value), created])).waits).toEqual([750]);
    },
  );

  test('after a 408 it waits at least one second', async () => {
    expect((await play([problem(408, 'request_timeout'), created], {}, 0)).waits).toEqual([1_000]);
  });

  test('it never retries before Retry-After: if the deadline is earlier, the call ends at once', async () => {
    const { result, waits } = await play([after(problem(429, 'rate_limited'), 61), created]);
    expect(result).toBeInstanceOf(RateLimited);
    expect(result).toMatchObject({ retryAfterMs: 61_000 });
    expect(waits).toEqual([]);
  });
});

test('the deadline ends a call that gets no response', async () => {
  const { result, waits } = await play(['lost'], { deadlineMs: 3_000, maxAttempts: 100 }, 1);
  expect(result).toBeInstanceOf(DeadlineExceeded);
  expect(result).toMatchObject({ message: expect.stringContaining('ECONNRESET') });
  expect(waits).toEqual([1_000]);
});

test('an attempt ends at its timeout, and the next one begins', async () => {
  const { fetch, sent } = fakeFetch(created);
  const hanging: typeof fetch = (url, init) =>
    sent.length === 0
      ? new Promise((_resolve, reject) => {
          sent.push({} as never);
          init?.signal?.addEventListener('abort', () => {
            reject(init.signal?.reason as Error);
          });
        })
      : fetch(url, init);
  const settings = checkOptions({
    ...testPair,
    apiUrl: 'https://a.example/company/integration',
    expectEnvironment: 'test',
    fetch: hanging,
    timeoutMs: 20,
  });
  const transport = new Transport(settings, { now: () => 0, random: () => 0, wait: () => Promise.resolve() });
  expect(await transport.send({ operation: createContribution, key: 'a', body: {} })).toMatchObject({
    attempts: 2,
  });
});

test('an aborted call makes no further attempt', async () => {
  const controller = new AbortController();
  const { fetch, sent } = fakeFetch('lost');
  const settings = checkOptions({
    ...testPair,
    apiUrl: 'https://a.example/company/integration',
    expectEnvironment: 'test',
    fetch,
  });
  const call = new Transport(settings).send({ operation: listProjects }, { signal: controller.signal });
  setTimeout(() => {
    controller.abort(new Error('the user left'));
  }, 20);
  expect(await errorOf(call)).toMatchObject({ message: 'the user left' });
  expect(sent).toHaveLength(1);
});

test('a redirect is not followed, because it would send the secret elsewhere', async () => {
  const { result, sent } = await play([
    { status: 301, text: '', headers: { Location: 'https://evil.example' } },
  ]);
  expect(result).toMatchObject({ status: 301, message: expect.stringContaining('Correct apiUrl') });
  expect(sent).toHaveLength(1);
});

test('each attempt is logged', async () => {
  const { events } = await play(['lost', after(problem(503, 'overloaded'), 1), created]);
  expect(events).toMatchObject([
    {
      attempt: 1,
      path: '/contributions/create',
      status: undefined,
      failure: 'fetch failed: read ECONNRESET',
      retryInMs: 750,
    },
    { attempt: 2, status: 503, code: 'overloaded', requestId: 'r', retryInMs: 1_000 },
    { attempt: 3, status: 201, code: undefined, failure: undefined, retryInMs: undefined },
  ]);
});

test('a rejection has the contribution of a reused key, and never the secret', async () => {
  const { client } = fakeClient([
    problem(422, 'idempotency_key_reused', {
      detail: `The header was ${testPair.apiSecret}.`,
      idempotency_key: 'order-1',
      transaction_id: 'K7Q20CR5M3V9XHG',
    }),
  ]);
  const error = await errorOf(client.contributions.create(order, { idempotencyKey: 'order-1' }));
  expect(error).toMatchObject({ idempotencyKey: 'order-1', transactionId: 'K7Q20CR5M3V9XHG' });
  expect(JSON.stringify(error) + String(error)).not.toContain(testPair.apiSecret);
});
