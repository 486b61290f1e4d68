import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { addProject } from '../support/catalogue';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';

const base = '/company/integration';
const pipelined = 60;

let service: TestService;
let company: TestCompany;

beforeAll(async () => {
  // With a cached catalogue, all requests are served before any has waited too long.
  service = await startService({ settings: { CATALOGUE_MAX_AGE_MS: '60000' } });
  company = await service.addCompany();
  const projectId = await addProject(service.database.admin);
  // A response of about 450 KB: the operating system buffers only a few of them.
  await service.database.admin.query(
    `INSERT INTO projects (project_name, project_image_url, summary, description, category, country, organization, rank)
     SELECT project_name, project_image_url, summary, description, category, country, organization, n
       FROM projects, generate_series(2, 1000) AS n WHERE project_id = $1`,
    [projectId],
  );
});
afterAll(() => service.stop());

/** Sends pipelined requests for large responses and reads nothing. */
async function openUnread(): Promise<Socket> {
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const { apiKey, apiSecret } = company.test;
  socket.write(
    `GET ${base}/get/projects?limit=1000 HTTP/1.1\r\nHost: service\r\nAPI-Key: ${apiKey!}\r\nAPI-Secret: ${apiSecret!}\r\n\r\n`.repeat(
      pipelined,
    ),
  );
  return socket;
}

test('a client that reads no response gets few of them; when it reads, it gets all', async () => {
  const socket = await openUnread();
  // A request that cannot start is rejected after a second.
  await delay(1_500);
  let text = '';
  socket.on('data', (data) => (text += data.toString('latin1')));
  const count = (status: number): number => text.split(`HTTP/1.1 ${status} `).length - 1;
  await until('all have their responses', () => count(200) + count(503) === pipelined);
  expect(count(200)).toBeGreaterThan(0);
  expect(count(200)).toBeLessThan(20);
  socket.destroy();
});
