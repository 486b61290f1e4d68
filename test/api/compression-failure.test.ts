import type Zlib from 'node:zlib';

import { addProject } from '../support/catalogue';
import { startService, type TestService } from '../support/service';

jest.mock('node:zlib', () => {
  const zlib = {
    ...jest.requireActual<typeof Zlib>('node:zlib'),
    brotliCompress: (_bytes: Buffer, _options: object, done: (error: Error) => void) => {
      done(new Error('there is no memory'));
    },
  };
  return { ...zlib, default: zlib, __esModule: true };
});

let service: TestService;

beforeAll(async () => {
  service = await startService();
  for (let count = 0; count < 30; count += 1) await addProject(service.database.admin);
});
afterAll(() => service.stop());

test('a response that cannot be compressed becomes an uncompressed error response', async () => {
  const { test: client } = await service.addCompany();
  const projects = '/company/integration/get/projects?limit=50';
  const response = await client.get(projects).set('Accept-Encoding', 'br');
  expect([response.status, response.body.code]).toEqual([500, 'internal_error']);
  expect(response.headers).not.toHaveProperty('content-encoding');
  expect(response.headers).not.toHaveProperty('etag');
  await client.get(projects).set('Accept-Encoding', 'gzip').expect(200).expect('Content-Encoding', 'gzip');
});
