import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { collectBody, type WithBody } from '../../src/http/request/body-bytes';
import { longTest } from '../support/full-run';
import { until } from '../support/until';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let server: Server;
let bodies: Promise<string>[];
let arrivedBytes: number;
let sockets: Socket[];

beforeEach(async () => {
  [bodies, arrivedBytes, sockets] = [[], 0, []];
  server = createServer((req) => {
    let arrived = 0;
    const body = collectBody({ req, collected: undefined }, 32 * 1024, {
      admit(bytes) {
        arrivedBytes += bytes - arrived;
        arrived = bytes;
        return true;
      },
      onUnread: () => undefined,
    });
    bodies.push(body.then(String, () => 'incomplete'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  server.close();
});

const head = 'PUT / HTTP/1.1\r\nHost: service\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

function open(): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

async function usedBytes(): Promise<number> {
  // The buffers of a collected object are freed soon after the collection.
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('a body whose announced size exceeds the limit is discarded as it arrives', async () => {
  const size = 33 * 1024;
  open().write(`PUT / HTTP/1.1\r\nHost: service\r\nContent-Length: ${size}\r\n\r\n${' '.repeat(size)}`);
  await until('the body is rejected', () => bodies.length === 1);
  expect(await bodies[0]).toBe('incomplete');
  open().write(head + chunk('x') + '0\r\n\r\n');
  await until('the next body is there', () => bodies.length === 2);
  expect([await bodies[1], arrivedBytes]).toEqual(['x', 1]);
});

longTest('a body that is no longer referenced is freed before its response is sent', async () => {
  const kept: { request: WithBody; body: Promise<WeakRef<Buffer>> }[] = [];
  const holder = createServer((req) => {
    const request: WithBody = { req, collected: undefined };
    kept.push({ request, body: collectBody(request, 1024).then((bytes) => new WeakRef(bytes)) });
  }).listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const socket = connect((holder.address() as AddressInfo).port, '127.0.0.1');
  socket.write(head + chunk('x'.repeat(500)) + '0\r\n\r\n');
  await until('the request has arrived', () => kept.length === 1);
  const [{ request, body }] = kept as [(typeof kept)[number]];
  const bytes = await body;
  request.collected = undefined;
  await until('the body is collected', async () => {
    await usedBytes();
    return bytes.deref() === undefined;
  });
  socket.destroy();
  holder.close();
});

longTest('a body of 255 pieces with one byte each takes little memory while it arrives', async () => {
  const connections = 100;
  for (let number = 0; number < connections; number += 1) open().write(head + chunk('a'));
  await until('the first pieces have arrived', () => arrivedBytes === connections);
  const before = await usedBytes();
  for (const socket of sockets) socket.write(chunk('a').repeat(254));
  await until('all pieces have arrived', () => arrivedBytes === connections * 255);
  const perConnection = ((await usedBytes()) - before) / connections;
  expect(perConnection).toBeLessThan(8 * 1024);
});

test.each([
  ['one piece', ['one']],
  ['pieces that grow', ['a', 'bc', 'defg'.repeat(500), 'h'.repeat(9_000)]],
  ['a large piece before small ones', ['a'.repeat(9_000), 'b', 'c', 'd']],
])('a body of %s has all bytes in their order', async (_what, pieces) => {
  open().write(`${head}${pieces.map(chunk).join('')}0\r\n\r\n`);
  await until('the request has arrived', () => bodies.length === 1);
  expect(await bodies[0]).toBe(pieces.join(''));
});
