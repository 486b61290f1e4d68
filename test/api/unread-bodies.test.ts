import { connect, type Socket } from 'node:net';

import { addProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

const base = '/company/integration';
const create = `${base}/contributions/create`;
/**
 * More than the service may read, and small enough to be in transit when the service closes the
 * connection.
 */
const sentBytes = 600_000;
const tinyChunks = '1\r\nx\r\n'.repeat(sentBytes / 6);
/** One read of the socket, and the headers. */
const mostReadBytes = 70_000;

let service: TestService;
let company: TestCompany;
let other: TestCompany;
let projectId: number;
const serverSockets: Socket[] = [];

beforeAll(async () => {
  service = await startService();
  service.server.on('connection', (socket: Socket) => serverSockets.push(socket));
  company = await service.addCompany();
  other = await service.addCompany();
  projectId = await addProject(service.database.admin);
  await company.test.get(`${base}/get/projects`).expect(200);
});
afterAll(() => service.stop());

const credentialsOf = ({ test: { apiKey, apiSecret } }: TestCompany): string =>
  `API-Key: ${apiKey}\r\nAPI-Secret: ${apiSecret}\r\n`;

function open(): { socket: Socket; received: () => string; closed: Promise<unknown> } {
  const socket = connect(service.port, '127.0.0.1');
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (data) => (text += data.toString('latin1')));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  return { socket, received: () => text, closed };
}

/**
 * Sends the start of a request, waits until it has arrived, and sends the rest. Reads until the
 * service closes the connection.
 */
async function sendSlowly(...pieces: string[]): Promise<{ response: string; readBytes: number }> {
  const { socket, received, closed } = open();
  const [head = '', ...rest] = pieces;
  socket.write(head);
  await until('the connection arrives', () => serverSockets.length > 0);
  const serverSocket = serverSockets.pop();
  for (const piece of rest) socket.write(piece);
  await closed;
  return { response: received().split('\r\n\r\n', 1).join(), readBytes: serverSocket?.bytesRead ?? Infinity };
}

describe('an endless body that is not needed', () => {
  const head = (line: string, headers = '') => `${line} HTTP/1.1\r\nHost: service\r\n${headers}`;
  test.each<[string, () => string, number]>([
    ['to a health check', () => head('PUT /health/live'), 405],
    ['to the documentation', () => head('GET /docs/limits'), 200],
    ['to a path that does not exist', () => head('PUT /nothing'), 404],
    ['without credentials', () => head(`PUT ${create}`), 401],
    [
      'with the secret of another company',
      () =>
        head(
          `GET ${base}/get/projects`,
          `API-Key: ${company.test.apiKey!}\r\nAPI-Secret: ${other.test.apiSecret!}\r\n`,
        ),
      401,
    ],
    ['with credentials', () => head(`GET ${base}/get/projects`, credentialsOf(company)), 200],
    ['behind too many headers', () => head('PUT /health/live', 'a:\r\n'.repeat(201)), 431],
  ])('%s gets its response, is not read, and ends its connection', async (_where, start, status) => {
    for (const [framing, body] of [
      ['Transfer-Encoding: chunked', tinyChunks],
      ['Content-Length: 9000000000', ' '.repeat(sentBytes)],
    ] as const) {
      const { response, readBytes } = await sendSlowly(`${start()}${framing}\r\n\r\n`, body);
      expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*Connection: close`));
      // Newer versions of Node reject too many headers in the parser, which has read one more chunk
      // by then.
      expect(readBytes).toBeLessThan(status === 431 ? 2 * mostReadBytes : mostReadBytes);
    }
  });
});

describe('a body that is needed', () => {
  test.each<[string, number, () => string, string]>([
    ['in endless tiny chunks', 400, () => credentialsOf(company), ''],
    [
      'that goes on in tiny chunks behind the limit',
      413,
      () => credentialsOf(company),
      `9000\r\n${' '.repeat(0x9000)}\r\n`,
    ],
    [
      'in endless tiny chunks with the secret of another company',
      401,
      () => `API-Key: ${company.test.apiKey!}\r\nAPI-Secret: ${other.test.apiSecret!}\r\n`,
      '',
    ],
  ])('%s is not read further, and ends its connection', async (_how, status, credentials, first) => {
    const head = `PUT ${create} HTTP/1.1\r\nHost: service\r\n${credentials()}Content-Type: application/json\r\n`;
    const { response, readBytes } = await sendSlowly(
      `${head}Transfer-Encoding: chunked\r\n\r\n`,
      first + tinyChunks,
    );
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*Connection: close`));
    expect(readBytes).toBeLessThan(2 * mostReadBytes);
  });
});

describe('a connection stays open', () => {
  test.each<[string, string]>([
    ['empty', '0\r\n\r\n'],
    ['small', '2\r\n{}\r\n0\r\n\r\n'],
  ])('after a GET whose chunked body arrives with it and is %s', async (_what, body) => {
    const { socket, received } = open();
    const request = `GET ${base}/get/projects HTTP/1.1\r\nHost: service\r\n${credentialsOf(company)}Transfer-Encoding: chunked\r\n\r\n${body}`;
    for (const count of [1, 2, 3]) {
      socket.write(request);
      await until('it has its response', () => received().split('HTTP/1.1 200').length === count + 1);
    }
    expect(received()).not.toContain('Connection: close');
    socket.destroy();
  });

  test('after creates with chunked bodies, one after another', async () => {
    const { socket, received } = open();
    const body = JSON.stringify({ project_id: projectId, amount: '1.00', user_hash: 'chunked' });
    for (const count of [1, 2, 3]) {
      socket.write(
        `PUT ${create} HTTP/1.1\r\nHost: service\r\n${credentialsOf(company)}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      for (const piece of [body.slice(0, 20), body.slice(20)])
        socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      socket.write('0\r\n\r\n');
      await until('it has its response', () => received().split('HTTP/1.1 201').length === count + 1);
    }
    expect(received()).not.toContain('Connection: close');
    socket.destroy();
  });

  test('after a request that pipelined another one behind its unneeded chunked body', async () => {
    const { socket, received } = open();
    const first = `GET ${base}/get/projects HTTP/1.1\r\nHost: service\r\n${credentialsOf(company)}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    socket.write(first + first + first);
    await until('all have their response', () => received().split('HTTP/1.1 200').length === 4);
    socket.destroy();
  });

  test('after a rejection whose short body arrives later', async () => {
    const { socket, received } = open();
    for (const count of [1, 2]) {
      socket.write(`PUT ${create} HTTP/1.1\r\nHost: service\r\nContent-Length: 2\r\n\r\n`);
      await until('it has its response', () => received().split('HTTP/1.1 401').length === count + 1);
      socket.write('{}');
    }
    expect(received()).not.toContain('Connection: close');
    socket.destroy();
  });
});
