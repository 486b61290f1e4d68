import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Response } from 'supertest';

import { longTest, sample } from '../support/full-run';
import { startService, type TestService } from '../support/service';
import { statementsPath, uploadAndWait } from '../support/statement-files';
import { bai2 } from '../../packages/bank-files/test/generate';

/** The first request of a key pair is a large file, and the process has not cached the pair. */
let service: TestService;

beforeEach(async () => {
  service = await startService({ settings: { SANDBOX_REQUEST_LOG: 'off' } });
});
afterEach(() => service.stop());

/**
 * A BAI2 file with blank lines at its end. The process of a test reads files itself, and reads
 * these lines quickly. XML of this size would block it for half a second.
 */
const largeFile = (mebibytes: number): string =>
  bai2([{ cents: 25_50n, direction: 'credit', text: 'rent' }]) +
  `${' '.repeat(1023)}\n`.repeat(mebibytes * 1024);

longTest.each(sample([9, 15], 1))('a first upload of %i MiB is stored', async (mebibytes) => {
  const { test: client } = await service.addCompany();
  const file = await uploadAndWait(client, largeFile(mebibytes));
  expect(file).toMatchObject({ entries: 1 });
  // The pair is cached now.
  const again: Response = await client
    .post(statementsPath)
    .set('Content-Type', 'application/xml')
    .send(largeFile(mebibytes))
    .expect(200);
  expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
});

longTest('first uploads of several companies at once are stored', async () => {
  const companies = [await service.addCompany(), await service.addCompany()];
  const files = await Promise.all(companies.map(({ test: client }) => uploadAndWait(client, largeFile(9))));
  expect(files).toMatchObject([{ entries: 1 }, { entries: 1 }]);
});

test('a large upload with a wrong secret gets 401, and its body is not read', async () => {
  const { test: client } = await service.addCompany();
  const { test: other } = await service.addCompany();
  const { port } = service.server.address() as AddressInfo;
  const req = request({
    port,
    method: 'POST',
    path: statementsPath,
    headers: {
      'API-Key': client.apiKey,
      'API-Secret': other.apiSecret,
      'Content-Type': 'application/xml',
      'Content-Length': String(15 * 1024 * 1024),
    },
  });
  req.write(' '.repeat(20 * 1024));
  const [response] = (await once(req, 'response')) as [IncomingMessage];
  expect({ status: response.statusCode, connection: response.headers.connection }).toEqual({
    status: 401,
    connection: 'close',
  });
  req.destroy();
});
