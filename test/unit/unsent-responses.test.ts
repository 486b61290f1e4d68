import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { createUnsentResponses, type UnsentLimits } from '../../src/http/server/unsent-responses';
import { until } from '../support/until';
import { longTest } from '../support/full-run';

const MiB = 1024 * 1024;
/** More than the operating system buffers for one connection. */
const body = Buffer.alloc(16 * MiB, 'x');
const ample: UnsentLimits = { bytesOfFlow: 1_024 * MiB, bytesInTotal: 1_024 * MiB, stalledAfterMs: 60_000 };

const sockets: Socket[] = [];
let server: Server;

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

/** A server with responses of 16 MiB; the path of a request is its flow. */
async function serve(limits: Partial<UnsentLimits>) {
  const closed = { count: 0 };
  const unsent = createUnsentResponses({
    limits: { ...ample, ...limits },
    onConnectionClosed: () => (closed.count += 1),
  });
  let written = 0;
  server = createServer((req, res) => {
    res.once('close', () => {
      unsent.remove(res);
    });
    res.end(body);
    unsent.add(res, req.url ?? '');
    written += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  /**
   * Sends a request and reads nothing.
   *
   * @returns when the response is written
   */
  async function open(flow: string): Promise<{ socket: Socket; isClosed: () => boolean }> {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    let isClosed = false;
    socket.on('error', () => (isClosed = true)).on('close', () => (isClosed = true));
    const before = written;
    socket.write(`GET ${flow} HTTP/1.1\r\nHost: service\r\n\r\n`);
    await until('the response is written', () => written > before);
    return { socket, isClosed: () => isClosed };
  }
  return { unsent, closed, open };
}

test('a flow is full while its responses are unread, and others are not', async () => {
  const { unsent, open } = await serve({ bytesOfFlow: 24 * MiB });
  const first = await open('/a');
  expect(unsent.isFull('/a')).toBe(false);
  await open('/a');
  expect([unsent.isFull('/a'), unsent.isFull('/b')]).toEqual([true, false]);
  first.socket.resume();
  await until('one is read', () => !unsent.isFull('/a'));
});

test('a response that the client reads at once does not count', async () => {
  const { unsent, closed, open } = await serve({ bytesOfFlow: 0, stalledAfterMs: 1_000 });
  const { socket } = await open('/a');
  socket.resume();
  await until('it is read', () => !unsent.isFull('/a'));
  await delay(1_200);
  expect([socket.bytesRead > body.length, closed.count]).toEqual([true, 0]);
});

test('beyond the total, the flow with the most unsent bytes loses its oldest connection', async () => {
  const { closed, open } = await serve({ bytesInTotal: 56 * MiB });
  const small = await open('/small');
  const first = await open('/large');
  const second = await open('/large');
  expect(closed.count).toBe(0);
  const other = await open('/other');
  await until('it is closed', () => closed.count === 1);
  first.socket.resume();
  await until('the client notices', first.isClosed);
  expect([small, second, other].map(({ isClosed }) => isClosed())).toEqual([false, false, false]);
});

longTest(
  'a client that takes no bytes loses its connection, and one that reads slowly does not',
  async () => {
    const { closed, open } = await serve({ stalledAfterMs: 1_000 });
    const stalled = await open('/a');
    const slow = await open('/b');
    const reading = setInterval(() => {
      slow.socket.once('data', () => slow.socket.pause());
      slow.socket.resume();
    }, 15);
    try {
      const startedAt = performance.now();
      await until('the stalled one is closed', () => closed.count === 1);
      expect(performance.now() - startedAt).toBeGreaterThan(800);
      stalled.socket.resume();
      await until('the client notices', stalled.isClosed);
      await delay(1_000);
      expect([closed.count, slow.isClosed()]).toEqual([1, false]);
    } finally {
      clearInterval(reading);
    }
    expect(slow.socket.bytesRead).toBeLessThan(body.length);
    slow.socket.resume();
    await until('the slow one has it all', () => slow.socket.bytesRead > body.length);
  },
);
