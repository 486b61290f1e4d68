import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { createClient, type Credentials } from '../support/client';
import { startService, type TestCompany, type TestService } from '../support/service';
import { issueUnverifiablePair } from '../support/unverifiable-pair';

/** A key pair whose pepper a process lacks, as while peppers are rotated. */
const projects = '/company/integration/get/projects';
let service: TestService;
let company: TestCompany;
let pair: Credentials;

beforeAll(async () => {
  service = await startService({ settings: { FAILED_AUTHENTICATIONS_PER_ADDRESS: '50' } });
});
beforeEach(async () => {
  company = await service.addCompany();
  pair = await issueUnverifiablePair(service.database, company.name);
});
afterAll(() => service.stop());

const getWith = ({ apiKey, apiSecret }: Credentials) =>
  createClient(service.server, { apiKey, apiSecret }).get(projects);

async function expectUnverifiable(credentials: Credentials): Promise<void> {
  const response = await getWith(credentials).expect(503).expect('Retry-After', /^\d+$/);
  expect(response.body).toMatchObject({ code: 'credentials_unverifiable', retryable: true });
}

test('gets 503 each time, with any secret, and the process goes on', async () => {
  const stranger = { apiKey: pair.apiKey, apiSecret: drawKeyPair('test').apiSecret };
  for (let round = 0; round < 3; round += 1) {
    await expectUnverifiable(pair);
    await expectUnverifiable(stranger);
  }
  await Promise.all(Array.from({ length: 30 }, () => expectUnverifiable(pair)));
  await company.test.get(projects).expect(200);
});

test('gets 503 after its revocation too, while a process remembers it', async () => {
  await expectUnverifiable(pair);
  await service.keyPairs.revoke(pair.apiKey!);
  await expectUnverifiable(pair);
});

test('is not counted as a failure, so its owner is not throttled', async () => {
  for (let round = 0; round < 60; round += 1) await expectUnverifiable(pair);
  await getWith(drawKeyPair('test')).expect(401);
});
