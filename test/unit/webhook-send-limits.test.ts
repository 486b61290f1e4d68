import { createRequestedSends } from '../../src/features/webhooks/requests/requested-sends';
import { createSendLimits } from '../../src/features/webhooks/requests/send-limits';
import type { Message, SendResult } from '../../src/features/webhooks/sending/sender';
import type { ServiceError } from '../../src/shared/errors';

/** What pings and resends a receiver gets. */
let nowMs = 0;
let succeeds = true;
let send: (environmentId: number, host?: string) => Promise<SendResult>;
let limits: ReturnType<typeof createSendLimits>;
beforeEach(() => {
  nowMs = 0;
  succeeds = true;
  limits = createSendLimits(() => nowMs);
  const sends = createRequestedSends(
    { send: () => Promise.resolve({ isSuccess: succeeds } as SendResult) },
    limits,
  );
  send = (environmentId, host = 'one.example') =>
    sends(environmentId, { url: `https://${host}/hook` } as Message, (wait) => wait());
});

const refusedFor = async (sending: Promise<unknown>): Promise<number> => {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown as ServiceError,
  );
  return error?.code === 'rate_limited' ? Number(error.headers['Retry-After']) : 0;
};
const sendMany = async (count: number, environmentId = 1, host?: string): Promise<void> => {
  for (let sent = 0; sent < count; sent += 1) await send(environmentId, host);
};

test('after ten failures one send may fail every 30 seconds, at all hosts of the environment', async () => {
  succeeds = false;
  await sendMany(10);
  expect(await refusedFor(send(1))).toBe(30);
  expect(await refusedFor(send(1, 'two.example'))).toBe(30);
  nowMs += 29_000;
  expect(await refusedFor(send(1))).toBe(1);
  nowMs += 1_000;
  await send(1);
  expect(await refusedFor(send(1))).toBe(30);
  // Another environment is not concerned, also at the same host.
  await send(2);
});

test('sends in progress count as failures, and successes do not', async () => {
  await sendMany(20);
  succeeds = false;
  await sendMany(9);
  succeeds = true;
  await sendMany(15);
  const both = [send(1), send(1)].map(refusedFor);
  expect(await Promise.all(both)).toEqual([0, 30]);
});

test.each(['one.example', 'ONE.example', 'one.example.', 'one.example:443'])(
  'a host gets 100 sends a second from all environments, and %s is the same host',
  async (name) => {
    await sendMany(50, 1);
    expect(await refusedFor(send(2, name))).toBe(1);
    await send(2, 'one.example:8443');
    nowMs += 100;
    await sendMany(10, 2, name);
    expect(await refusedFor(send(3))).toBe(1);
  },
);

test('a send that the host refuses is no failure', async () => {
  await sendMany(50, 1);
  for (let count = 0; count < 20; count += 1) expect(await refusedFor(send(2))).toBe(1);
  await send(2, 'two.example');
});

test('a replay waits for its next event, and neither delays pings nor waits for them', async () => {
  for (let count = 0; count < 50; count += 1) await limits.waitForRequest('https://one.example/');
  let hasWaited = false;
  const waiting = limits.waitForRequest('https://one.example/').then(() => {
    hasWaited = true;
  });
  await sendMany(50);
  expect(await refusedFor(send(1))).toBe(1);
  expect(hasWaited).toBe(false);
  nowMs += 10;
  await send(1);
  await waiting;
});
