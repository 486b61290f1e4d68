import { createRequestedSends } from '../../src/features/webhooks/requests/requested-sends';
import { createSendLimits } from '../../src/features/webhooks/requests/send-limits';
import type { Message, SendResult } from '../../src/features/webhooks/sending/sender';
import { createWebhookEndpointsService } from '../../src/features/webhooks/endpoints/webhook-endpoints.service';
import type { ServiceError } from '../../src/shared/errors';

/** Pings and resends, which partners wait for, to receivers that never respond. */
let respond: (result: SendResult) => void;
let send: (environmentId: number) => Promise<SendResult>;
beforeEach(() => {
  const response = new Promise<SendResult>((resolve) => {
    respond = resolve;
  });
  const sends = createRequestedSends({ send: () => response }, createSendLimits());
  send = (environmentId) =>
    sends(environmentId, { url: `https://host-${environmentId}.example/` } as Message, (wait) => wait());
});

/** Starts this number of sends for each environment. */
const hang = (environments: number, each: number): Promise<SendResult>[] =>
  Array.from({ length: environments * each }, (_, index) => send(1 + (index % environments)));
const codeOf = (sending: Promise<unknown>): Promise<string | undefined> =>
  sending.then(
    () => undefined,
    (error: unknown) => (error as ServiceError).code,
  );

test('an environment has at most five sends in progress', async () => {
  void hang(1, 5);
  expect(await codeOf(send(1))).toBe('rate_limited');
});

test('ten environments whose receivers hang leave one send for each other environment', async () => {
  const hanging = hang(10, 5);
  const other = send(11);
  expect(await codeOf(send(11))).toBe('overloaded');
  const result = { isSuccess: true } as SendResult;
  respond(result);
  expect(await Promise.all([other, ...hanging])).toEqual(Array(51).fill(result));
  expect(await send(11)).toBe(result);
});

test('a process has a limit for all environments', async () => {
  void hang(200, 1);
  expect(await codeOf(send(201))).toBe('overloaded');
});

test('20 requests of an environment wait for name servers at a time', async () => {
  const endpoints = createWebhookEndpointsService({
    store: {} as never,
    destinations: { refusal: () => new Promise(() => undefined) },
    limits: createSendLimits(),
    keys: new Map([[1, Buffer.from('key')]]),
  });
  const url = 'https://example.com/';
  const create = (environmentId: number) =>
    endpoints.create(environmentId, { url, types: [], description: undefined }, (wait) => wait());
  for (let count = 0; count < 20; count += 1) void create(1);
  expect(await codeOf(create(1))).toBe('rate_limited');
  const change = { url, types: undefined, description: undefined };
  expect(await codeOf(endpoints.change(1, 'id', change, (wait) => wait()))).toBe('rate_limited');
  const ofAnother = jest.fn();
  create(2).then(ofAnother, ofAnother);
  await new Promise(setImmediate);
  expect(ofAnother).not.toHaveBeenCalled();
});
