import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';
import { Webhook } from 'standardwebhooks';

import type { Event, VerifyOptions } from '../../packages/sdk/src/index.js';
import { InvalidInput, WebhookRejected, webhooks } from '../../packages/sdk/src/index.js';
import { webhookHandler, type WebhookHandlerOptions } from '../../packages/sdk/src/node/index.js';

/** Webhooks as the SDK verifies and signs them, compared with the library of Standard Webhooks. */
const secretOf = (letter: string): string => `whsec_${Buffer.alloc(32, letter).toString('base64')}`;
const [current, previous, another] = ['a', 'b', 'c'].map(secretOf) as [string, string, string];
const id = '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b';
const eventOf = (changes: object = {}): Event =>
  ({ id, sequence: 1, type: 'contribution.completed', environment: 'test', data: {}, ...changes }) as Event;
const body = JSON.stringify(eventOf({ data: { bank_reference: 'Überweisung 1' } }));
const options: VerifyOptions = { secret: current, expectEnvironment: 'test' };

/** Signed by the library, with each of the secrets. */
function signed(secrets: string[], content = body, secondsAgo = 0): Record<string, string> {
  const at = new Date(Date.now() - secondsAgo * 1_000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, content)).join(' '),
  };
}

const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'verified',
    (error: unknown) => (error instanceof WebhookRejected ? error.reason : error),
  );

describe('verify', () => {
  test.each<[string, string[], string | string[]]>([
    ['by the only secret', [current], current],
    ['by both, and this receiver has only the new one', [current, previous], current],
    ['by both, and this receiver has only the old one', [current, previous], previous],
    ['by the old one, and this receiver has both', [previous], [current, previous]],
  ])('accepts a webhook that is signed %s', async (_, signers, secret) => {
    const event = await webhooks.verify(body, signed(signers), { ...options, secret });
    expect(event).toEqual(JSON.parse(body));
  });

  test('takes the body as text or bytes, and the headers of fetch or of Node.js', async () => {
    const headers = signed([current]);
    const bytes = new TextEncoder().encode(body);
    for (const raw of [body, bytes, Buffer.from(body), bytes.buffer])
      expect((await webhooks.verify(raw, new Headers(headers), options)).id).toBe(id);
    expect((await webhooks.verify(body, { ...headers, accept: ['*/*'] }, options)).id).toBe(id);
  });

  test.each<[string, Record<string, string>, string, string]>([
    ['another secret', signed([another]), body, 'signature_mismatch'],
    ['another body', signed([current]), body.replace('completed', 'returned'), 'signature_mismatch'],
    ['another id', { ...signed([current]), 'webhook-id': 'other' }, body, 'signature_mismatch'],
    [
      'no signature of this version',
      { ...signed([current]), 'webhook-signature': 'v1a,AAAA' },
      body,
      'signature_mismatch',
    ],
    [
      'a cut signature',
      { ...signed([current]), 'webhook-signature': signed([current])['webhook-signature']!.slice(0, -4) },
      body,
      'signature_mismatch',
    ],
    ['an old time', signed([current], body, 301), body, 'timestamp_too_old'],
    ['a future time', signed([current], body, -400), body, 'timestamp_too_new'],
    [
      'a time that is no number',
      { ...signed([current]), 'webhook-timestamp': 'now' },
      body,
      'timestamp_invalid',
    ],
    ['no headers', {}, body, 'headers_missing'],
    ['no body', signed([current]), '', 'body_missing'],
    ['a body without JSON', signed([current], 'ok'), 'ok', 'body_invalid'],
    ['a body without an event', signed([current], '{}'), '{}', 'body_invalid'],
  ])('rejects %s', async (_, headers, content, reason) => {
    expect(await reasonOf(webhooks.verify(content, headers, options))).toBe(reason);
  });

  test.each([null, undefined])('says what to pass instead of headers that are %s', async (none) => {
    // @ts-expect-error A program without types can pass nothing.
    const error: unknown = await webhooks.verify(body, none, options).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      reason: 'headers_missing',
      message: expect.stringContaining('Pass the headers of the request'),
    });
  });

  test('rejects an event of the other environment, and one whose id is not the signed one', async () => {
    for (const [changes, reason] of [
      [{ environment: 'production' }, 'wrong_environment'],
      [{ id: 'other' }, 'body_invalid'],
    ] as const) {
      const content = JSON.stringify(eventOf(changes));
      expect(await reasonOf(webhooks.verify(content, signed([current], content), options))).toBe(reason);
    }
  });

  test('says how to get the raw body if it was parsed', async () => {
    const parsed = JSON.parse(body) as string;
    await expect(webhooks.verify(parsed, signed([current]), options)).rejects.toThrow(/express\.raw/);
    await expect(webhooks.verify(parsed, signed([current]), options)).rejects.toMatchObject({
      reason: 'body_parsed',
    });
    // @ts-expect-error A program without types can pass nothing.
    expect(await reasonOf(webhooks.verify(undefined, signed([current]), options))).toBe('body_missing');
  });

  test.each(['', 'secret', 'whsec_', 'whsec_c2hvcnQ=', 'whsec_%%%', `cps_test_${'x'.repeat(43)}`])(
    'rejects the secret %p, and does not repeat it',
    async (secret) => {
      const failure: unknown = await webhooks
        .verify(body, signed([current]), { ...options, secret })
        .catch((e: unknown) => e);
      expect(failure).toBeInstanceOf(InvalidInput);
      if (secret.length > 10) expect((failure as Error).message).not.toContain(secret);
    },
  );
});

test('the library accepts what the SDK signs, during a rotation too', async () => {
  const headers = { ...(await webhooks.sign(body, { id, secret: [current, previous] })) };
  for (const secret of [current, previous])
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(another).verify(body, headers)).toThrow();
});

const wrongSetups: [string, object, string, RegExp][] = [
  ['no secret', { secret: undefined }, 'secret', /begins with whsec_/],
  ['an empty secret', { secret: '' }, 'secret', /begins with whsec_/],
  ['a truncated secret', { secret: 'whsec_abc' }, 'secret', /begins with whsec_/],
  ['an API-Secret', { secret: `cps_test_${'x'.repeat(49)}` }, 'secret', /An API-Secret is not one/],
  ['an empty list of secrets', { secret: [] }, 'secret', /begins with whsec_/],
  ['a list with a gap', { secret: [current, undefined] }, 'secret', /begins with whsec_/],
  ['another environment', { expectEnvironment: 'live' }, 'expectEnvironment', /'test' or 'production'/],
  ['a tolerance in words', { toleranceSeconds: 'five' }, 'toleranceSeconds', /number of seconds/],
];

test.each(wrongSetups)('verify rejects %s and says what to do', async (_, wrong, field, advice) => {
  const failure = await reasonOf(webhooks.verify(body, signed([current]), { ...options, ...wrong }));
  expect(failure).toBeInstanceOf(InvalidInput);
  expect(failure).toMatchObject({ field, message: expect.stringMatching(advice) });
});

describe('webhookHandler', () => {
  const received: [string, boolean][] = [];
  const errors: unknown[] = [];
  let failure: Error | undefined;
  const handlerOptions: WebhookHandlerOptions = {
    ...options,
    onEvent(event, { isReplay }) {
      if (failure) throw failure;
      received.push([event.id, isReplay]);
    },
    onError: (error) => errors.push(error),
  };
  const servers: Server[] = [];
  const listen = (handler: Parameters<typeof createServer>[1]): Promise<string> =>
    new Promise((resolve) => {
      const server: Server = createServer(handler).listen(0, '127.0.0.1', () => {
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      });
      servers.push(server);
    });
  const post = async (url: string, headers: Record<string, string>, content = body): Promise<number> =>
    (
      await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: content,
      })
    ).status;

  beforeEach(() => {
    received.length = errors.length = 0;
    failure = undefined;
  });
  afterAll(() => {
    for (const server of servers) server.close();
  });

  test.each<[string, () => Parameters<typeof createServer>[1]]>([
    ['node:http', () => webhookHandler(handlerOptions)],
    ['Express', () => express().post('/', webhookHandler(handlerOptions)) as never],
    [
      'Express with a raw body',
      () =>
        express()
          .use(express.raw({ type: 'application/json' }))
          .post('/', webhookHandler(handlerOptions)) as never,
    ],
  ])('receives with %s', async (_, handler) => {
    const url = await listen(handler());
    expect(await post(url, { ...signed([current]), 'Webhook-Replayed': 'true' })).toBe(204);
    expect(received).toEqual([[id, true]]);
    expect(await post(url, signed([another]))).toBe(400);
    failure = new Error('the database is away');
    expect(await post(url, signed([current]))).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ reason: 'signature_mismatch' }), failure]);
    expect(received).toHaveLength(1);
  });

  test.each<[string, object, string, RegExp]>([
    ...wrongSetups,
    ['no onEvent', { onEvent: undefined }, 'onEvent', /Pass a function/],
    ['an onError that is no function', { onError: 'log' }, 'onError', /Pass a function/],
  ])('is not made with %s', (_, wrong, field, advice) => {
    const make = (): unknown => webhookHandler({ ...handlerOptions, ...wrong });
    expect(make).toThrow(InvalidInput);
    expect(make).toThrow(`${field}: `);
    expect(make).toThrow(advice);
    // @ts-expect-error A program without types can pass nothing.
    expect(() => webhookHandler()).toThrow(InvalidInput);
  });

  test('responds with 500 and says what to do if express.json() has parsed the body', async () => {
    const url = await listen(
      express().use(express.json()).post('/', webhookHandler(handlerOptions)) as never,
    );
    expect(await post(url, signed([current]))).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ reason: 'body_parsed' })]);
  });

  test('rejects other methods, and bodies that are longer than an event', async () => {
    const url = await listen(webhookHandler(handlerOptions));
    expect((await fetch(url)).status).toBe(405);
    expect(await post(url, signed([current]), 'x'.repeat(70_000))).toBe(400);
  });
});
