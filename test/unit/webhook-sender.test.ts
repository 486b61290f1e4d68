import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';

import { createDestinations, type Resolve } from '../../src/features/webhooks/sending/destinations';
import { createSender, type Sender } from '../../src/features/webhooks/sending/sender';
import { senderSettings } from '../../src/features/webhooks/sending/sender-settings';
import { hasOpenssl, makeCertificate } from '../support/certificate';
import { temporaryFolder } from '../support/program';

/** Requests to hostile receivers and through hostile name servers. Nothing leaves this machine. */
const settings = { ...senderSettings, connectTimeoutMs: 300, totalTimeoutMs: 600, bodyTimeoutMs: 200 };
const started: { server: Server; sender: Sender }[] = [];

afterEach(async () => {
  for (const { server, sender } of started.splice(0)) {
    sender.stop();
    server.closeAllConnections();
    server.close();
    await once(server, 'close').catch(() => undefined);
  }
});

async function receiver(listener: RequestListener, server: Server = createServer()) {
  server.on('request', listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = createSender(createDestinations(true), settings);
  started.push({ server, sender });

  const { port } = server.address() as AddressInfo;
  const message = { endpointId: 'e', url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' };
  return { send: () => sender.send(message), message, sender };
}

test('a response with a 2xx status is a success, whatever its body', async () => {
  const { send } = await receiver((_request, response) => response.writeHead(200).end('x'.repeat(100)));
  expect(await send()).toMatchObject({ isSuccess: true, status: 200, response: undefined });
});

test('the start of a failed response is kept, without NUL', async () => {
  const { send } = await receiver((_request, response) =>
    response.writeHead(500).end(`\0${'x'.repeat(5_000)}`),
  );
  const result = await send();
  expect(result).toMatchObject({ isSuccess: false, status: 500, failure: 'status' });
  expect(result.response).toBe('x'.repeat(1_023));
});

test('a receiver that never responds costs the total timeout', async () => {
  const { send } = await receiver(() => undefined);
  expect(await send()).toMatchObject({ isSuccess: false, failure: 'timeout', status: undefined });
});

test('a body of one byte per second costs the timeout of bodies, and the status decides', async () => {
  const { send } = await receiver((_request, response) => {
    response.writeHead(200);
    response.write('x');
  });
  const result = await send();
  expect(result.isSuccess).toBe(true);
  expect(result.durationMs).toBeLessThan(550);
});

test('an endless body is not read to its end', async () => {
  let written = 0;
  const { send } = await receiver((_request, response) => {
    response.writeHead(503);
    const part = Buffer.alloc(65_536, 'x');
    const write = (): void => {
      while (!response.destroyed && written < 1e9) {
        written += part.length;
        if (!response.write(part)) break;
      }
    };
    response.on('drain', write);
    write();
  });
  expect(await send()).toMatchObject({ failure: 'status', status: 503, response: 'x'.repeat(1_024) });
  expect(written).toBeLessThan(2e7);
});

test('a connection that the receiver cuts is a failure, before and within the response', async () => {
  const { send } = await receiver((request) => request.socket.destroy());
  expect(await send()).toMatchObject({ failure: 'connection_closed', status: undefined });
  const within = await receiver((request, response) => {
    response.writeHead(500, { 'content-length': '10' });
    response.write('x');
    setTimeout(() => request.socket.destroy(), 20);
  });
  expect(await within.send()).toMatchObject({ failure: 'status', status: 500, response: 'x' });
});

test('a closed port and a response that is not HTTP have their own failures', async () => {
  const { message, sender } = await receiver(() => undefined);
  expect(await sender.send({ ...message, url: 'http://127.0.0.1:1/' })).toMatchObject({
    failure: 'connection_refused',
  });
  const { send } = await receiver((request) => request.socket.end('SSH-2.0-OpenSSH\r\n\r\n'));
  expect(await send()).toMatchObject({ failure: 'malformed_response' });
});

test('Retry-After is read as seconds and as a time, and nothing else', async () => {
  const values = ['120', new Date(Date.now() + 60_000).toUTCString(), 'soon', '-5', '9'.repeat(400)];
  const { send } = await receiver((_request, response) =>
    response.writeHead(503, { 'retry-after': values.shift() }).end(),
  );
  expect((await send()).retryAfterSeconds).toBe(120);
  expect((await send()).retryAfterSeconds).toBeGreaterThan(50);
  expect((await send()).retryAfterSeconds).toBeUndefined();
  expect((await send()).retryAfterSeconds).toBeUndefined();
  // The schedule of retries limits it.
  expect((await send()).retryAfterSeconds).toBeGreaterThanOrEqual(86_400);
});

test('requests share connections, without a listener for each', async () => {
  const sockets = new Set<unknown>();
  const { send } = await receiver((request, response) => {
    sockets.add(request.socket);
    response.end();
  });
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  for (let count = 0; count < 30; count += 1) await send();
  process.off('warning', onWarning);
  expect(sockets.size).toBe(1);
  expect(warnings).toEqual([]);
});

describe('a host', () => {
  const url = new URL('https://app.example.com/');
  const send = (resolve: Resolve) => {
    const sender = createSender(createDestinations(false, resolve), settings);
    return sender.send({ endpointId: 'e', url: url.href, headers: {}, body: '' }).finally(() => {
      sender.stop();
    });
  };

  test('that was public when the URL was set, and is not at the connection, gets no connection', async () => {
    const answers = [['93.184.215.14'], ['10.0.0.1']];
    const resolve: Resolve = () => Promise.resolve(answers.shift()!);
    expect(await createDestinations(false, resolve).refusal(url)).toBeUndefined();
    expect(await send(resolve)).toMatchObject({ failure: 'forbidden_address' });
  });

  test.each([
    'http://localhost:3000/webhooks',
    'https://localhost/webhooks',
    'https://app.localhost/',
    'https://127.0.0.1:3000/',
    'https://[::1]/',
  ])('on the own machine, such as %s, is refused with the command for local receivers', async (local) => {
    const resolve: Resolve = () => Promise.resolve(['127.0.0.1']);
    const refusal = await createDestinations(false, resolve).refusal(new URL(local));
    expect(refusal).toContain('./node_modules/.bin/contribution-service-sdk listen --forward-to URL');
    expect(await createDestinations(true, resolve).refusal(new URL(local))).toBeUndefined();
  });

  test.each([
    ['http://app.example.com/', 'The url begins with http://. Send one that begins with https://.'],
    ['https://app.example.com:8080/', 'Use port 443 or 8443.'],
    ['https://10.0.0.1/', 'Send the url of a host that has only public addresses.'],
    [
      'https://app.example.com/',
      'Check its name and its DNS records. If they are correct, its name servers may not respond',
    ],
  ])('%s is refused with the part of the url to change', async (forbidden, advice) => {
    const failing: Resolve = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
    const refusal = await createDestinations(false, failing).refusal(new URL(forbidden));
    expect(refusal).toContain('url');
    expect(refusal).toContain(advice);
  });

  test.each([
    ['a private address', ['10.0.0.1']],
    ['the metadata address', ['169.254.169.254']],
    ['public and private addresses', ['93.184.215.14', '192.168.0.1']],
    ['a private address within IPv6', ['::ffff:10.0.0.1']],
    ['a private address through NAT64', ['64:ff9b::a00:1']],
    ['this machine', ['127.0.0.1']],
    ['a unique local address', ['fd00::1']],
    ['no address', []],
  ])('with %s gets no connection', async (_what, addresses) => {
    expect(await send(() => Promise.resolve(addresses))).toMatchObject({ failure: 'forbidden_address' });
  });

  test.each([
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://0x7f.1/',
    'https://localhost./',
    'https://2130706433/',
  ])('in the URL %s gets no connection', async (forbidden) => {
    const sender = createSender(
      createDestinations(false, () => Promise.resolve(['127.0.0.1'])),
      settings,
    );
    const result = await sender.send({ endpointId: 'e', url: forbidden, headers: {}, body: '' });
    sender.stop();
    expect(result).toMatchObject({ failure: 'forbidden_address' });
  });

  test('that cannot be resolved is a failure of the name', async () => {
    const failing: Resolve = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
    expect(await send(failing)).toMatchObject({ failure: 'dns' });
  });
});

(hasOpenssl() ? test : test.skip)('a certificate that nobody trusts is a failure', async () => {
  const folder = temporaryFolder();
  const { certificateFile, privateKeyFile, ca } = makeCertificate(folder.path);
  const server = createTlsServer({ cert: ca, key: readFileSync(privateKeyFile) }) as unknown as Server;
  const { message } = await receiver((_request, response) => response.end(), server);
  const url = message.url.replace('http:', 'https:');
  const untrusting = createSender(createDestinations(true), settings);
  expect(await untrusting.send({ ...message, url })).toMatchObject({ failure: 'tls' });
  const trusting = createSender(createDestinations(true), {
    ...settings,
    ca: readFileSync(certificateFile, 'utf8'),
  });
  expect(await trusting.send({ ...message, url })).toMatchObject({ isSuccess: true, status: 200 });
  untrusting.stop();
  trusting.stop();
  folder.remove();
});
