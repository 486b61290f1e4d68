import { readFileSync } from 'node:fs';

import { createDestinations } from '../../../../src/features/webhooks/sending/destinations';
import { createNameServers } from '../../../../src/features/webhooks/sending/host-names';
import { createSender, type Sender, type SendResult } from '../../../../src/features/webhooks/sending/sender';
import { senderSettings } from '../../../../src/features/webhooks/sending/sender-settings';
import { sendFailures } from '../../../../src/features/webhooks/sending/send-failure.field';
import { hasOpenssl, makeCertificate } from '../../../support/certificate';
import { takesAllRows } from '../../../support/full-run';
import { temporaryFolder } from '../../../support/program';
import { until } from '../../../support/until';
import { growthBytes, ownResidentBytes } from '../memory';
import { forbiddenNames, startHostileNameServer, uselessNames } from './hostile-names';
import { type HostileReceiver, startBrokenTls, startHostileReceiver } from './hostile-receiver';
import { damagedResponse, hostileResponses } from './hostile-responses';

/** Receivers and name servers that fail or attack. Nothing leaves this machine. */
const settings = { ...senderSettings, connectTimeoutMs: 300, totalTimeoutMs: 600, bodyTimeoutMs: 150 };
const firstDamaged = 1_000;
const damagedCount = takesAllRows ? 3_000 : 600;
const rounds = takesAllRows ? 30 : 8;
const mostGrowthBytes = 24 * 1_048_576;

const choose = (number: number) => hostileResponses[number] ?? damagedResponse(number - firstDamaged);

const receivers: HostileReceiver[] = [];
const senders: Sender[] = [];
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

beforeAll(() => {
  process.on('uncaughtException', note).on('unhandledRejection', note);
});
afterEach(async () => {
  for (const sender of senders.splice(0)) sender.stop();
  for (const receiver of receivers.splice(0)) {
    // No connection outlives the sender.
    await until('all connections are closed', () => receiver.open() === 0);
    await receiver.stop();
  }
  expect(unhandled).toEqual([]);
});
afterAll(() => {
  process.off('uncaughtException', note).off('unhandledRejection', note);
});

function newSender(ca?: Buffer): Sender {
  const sender = createSender(createDestinations(true), { ...settings, ...(ca && { ca: ca.toString() }) });
  senders.push(sender);
  return sender;
}

async function started(start: Promise<HostileReceiver>): Promise<HostileReceiver> {
  const receiver = await start;
  receivers.push(receiver);
  return receiver;
}

const sendTo = (sender: Sender, url: string, endpointId = url): Promise<SendResult> =>
  sender.send({ endpointId, url, headers: {}, body: '{"id":"event"}' });

/** Checks what every result must have, whatever the receiver does. */
function expectWellFormed({ isSuccess, status, failure, response, retryAfterSeconds }: SendResult): void {
  const is2xx = status !== undefined && status >= 200 && status < 300;
  expect(isSuccess).toBe(is2xx);
  expect(failure === undefined).toBe(isSuccess);
  if (failure !== undefined) expect(sendFailures).toContain(failure);
  if (status !== undefined && !isSuccess) expect(failure).toBe('status');
  expect(Buffer.byteLength(response ?? '')).toBeLessThanOrEqual(3 * 1_024);
  expect(response ?? '').not.toContain('\0');
  if (retryAfterSeconds !== undefined) expect(retryAfterSeconds).toBeGreaterThan(0);
}

test.each(hostileResponses.map(({ name }, number) => [name, number] as const))(
  'a receiver with %s gets a result, and so does the next request to it',
  async (_name, number) => {
    const receiver = await started(startHostileReceiver(choose));
    const sender = newSender();
    for (let count = 0; count < 2; count += 1)
      expectWellFormed(await sendTo(sender, `http://127.0.0.1:${receiver.port}/${number}`));
  },
);

test('a redirect is a failure, and is not followed', async () => {
  const receiver = await started(startHostileReceiver(choose));
  const number = hostileResponses.findIndex(({ name }) => name === 'redirects to itself');
  const result = await sendTo(newSender(), `http://127.0.0.1:${receiver.port}/${number}`);
  expect(result).toMatchObject({ isSuccess: false, status: 307 });
});

test('randomly damaged responses get results', async () => {
  const receiver = await started(startHostileReceiver(choose));
  const sender = newSender();
  let next = 0;
  const worker = async (_: unknown, endpoint: number): Promise<void> => {
    while (next < damagedCount) {
      const url = `http://127.0.0.1:${receiver.port}/${firstDamaged + (next += 1)}`;
      expectWellFormed(await sendTo(sender, url, `endpoint ${endpoint}`));
    }
  };
  await Promise.all(Array.from({ length: 60 }, worker));
});

const tlsTest = hasOpenssl() ? test : test.skip;

tlsTest('over TLS, the same receivers and broken handshakes get results', async () => {
  const folder = temporaryFolder();
  const { certificateFile, privateKeyFile, ca } = makeCertificate(folder.path);
  const tls = { cert: readFileSync(certificateFile), key: readFileSync(privateKeyFile) };
  folder.remove();
  const [receiver, broken] = [
    await started(startHostileReceiver(choose, tls)),
    await started(startBrokenTls()),
  ];
  const sender = newSender(ca);
  const results = hostileResponses.map((_, number) =>
    sendTo(sender, `https://127.0.0.1:${receiver.port}/${number}`),
  );
  for (const result of await Promise.all(results)) expectWellFormed(result);
  const handshakes = Array.from({ length: 14 }, (_, count) =>
    sendTo(sender, `https://127.0.0.1:${broken.port}/`, `broken ${count}`),
  );
  for (const result of await Promise.all(handshakes)) {
    expectWellFormed(result);
    expect(result.status).toBeUndefined();
  }
  // Its certificate is not trusted.
  expect(await sendTo(newSender(), `https://127.0.0.1:${receiver.port}/0`)).toMatchObject({
    failure: 'tls',
  });
});

test('hostile receivers cause no memory leak', async () => {
  const receiver = await started(startHostileReceiver(choose));
  const broken = await started(startBrokenTls());
  const sender = newSender();
  const memory: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all([
      ...hostileResponses.map((_, number) =>
        sendTo(sender, `http://127.0.0.1:${receiver.port}/${number}`, `${round} ${number}`),
      ),
      sendTo(sender, `https://127.0.0.1:${broken.port}/`, `${round} tls`),
    ]);
    memory.push(await ownResidentBytes());
  }
  expect(growthBytes(memory)).toBeLessThan(mostGrowthBytes);
});

describe('a hostile name server', () => {
  const kinds = Object.entries({ ...forbiddenNames, ...uselessNames });

  test('leads to no connection to a private address, and causes no other failure', async () => {
    const server = await startHostileNameServer((label) => kinds[Number(label.slice(1))]![1]);
    const destinations = createDestinations(false, createNameServers([server.address]));
    const sender = createSender(destinations, senderSettings);
    senders.push(sender);
    const results = kinds.map(async ([name], number) => {
      const url = `https://k${number}.example.com/`;
      const { failure } = await sendTo(sender, url);
      return [name, failure, (await destinations.refusal(new URL(url))) !== undefined] as const;
    });
    const expected = kinds.map(([name]) => [
      name,
      name in forbiddenNames ? 'forbidden_address' : 'dns',
      true,
    ]);
    expect(await Promise.all(results)).toEqual(expected);
    server.stop();
  });
});
