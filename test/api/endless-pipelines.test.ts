import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { IncomingMessage } from 'node:http';

import { addProject } from '../support/catalogue';
import { longTest } from '../support/full-run';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

const base = '/company/integration';

let service: TestService;
let bank: TestCompany;
let projectId: number;

beforeAll(async () => {
  service = await startService();
  bank = await service.addCompany();
  projectId = await addProject(service.database.admin);
  await bank.test.get(`${base}/get/projects`).expect(200);
});
afterAll(() => service.stop());

function open(): Socket {
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

test('a connection that is closed for its endless pipeline costs no more parsing', async () => {
  let parsed = 0;
  const count = ({ url }: IncomingMessage): void => void (parsed += url === '/endless' ? 1 : 0);
  service.server.on('request', count);
  try {
    const socket = open();
    const closed = once(socket, 'close');
    socket.resume();
    socket.write('GET /endless HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(1_800));
    await closed;
    expect(parsed).toBeGreaterThan(64);
    expect(parsed).toBeLessThanOrEqual(66);
    // Node reuses the parser of the closed connection.
    await bank.test.get(`${base}/get/projects`).expect(200);
  } finally {
    service.server.off('request', count);
  }
});

test('a tunnel behind an endless pipeline opens nothing', async () => {
  let tunnels = 0;
  const count = (): void => void (tunnels += 1);
  service.server.on('connect', count);
  const socket = open();
  const closed = once(socket, 'close');
  socket.resume();
  socket.write(
    'GET /endless HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(65) + 'CONNECT a:443 HTTP/1.1\r\nHost:a\r\n\r\n',
  );
  await closed;
  service.server.off('connect', count);
  expect(tunnels).toBe(0);
});

describe('while the connections together hold too much', () => {
  longTest('connections that pipeline much are closed, and creates are served', async () => {
    const creates = 20;
    const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: 'in-a-flood' });
    const { apiKey, apiSecret } = bank.test;
    const create =
      `PUT ${base}/contributions/create HTTP/1.1\r\nHost: service\r\nAPI-Key: ${apiKey}\r\nAPI-Secret: ${apiSecret}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    // Fewer than the rejections that may wait.
    const large = `PUT ${base}/contributions/create HTTP/1.1\r\nHost: service\r\nX-Large: ${'x'.repeat(9_000)}\r\n\r\n`;
    let closed = 0;
    const flooders = Array.from({ length: 60 }, () => {
      const socket = open();
      socket.on('close', () => (closed += 1));
      socket.resume();
      socket.write(large.repeat(60));
      return socket;
    });
    let text = '';
    const client = open();
    client.on('data', (data) => (text += data.toString('latin1')));
    await until('the flood has arrived', () => closed > 0);
    client.write(create.repeat(creates));
    await until('all creates have their responses', () => text.split('HTTP/1.1 201').length === creates + 1);
    for (const socket of [client, ...flooders]) socket.destroy();
  });
});
