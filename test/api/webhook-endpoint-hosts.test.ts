import type { Resolve } from '../../src/features/webhooks/sending/destinations';
import { startService, type TestService } from '../support/service';

/**
 * Requests that set the URL of an endpoint wait for name servers. Anybody can operate a slow one.
 */
const path = '/company/integration/webhook-endpoints';

let service: TestService;
/** The number of slots that requests held while the service resolved a name. */
let inProgress: number[];

const resolveHost: Resolve = async () => {
  const gauge = service.container.metrics.registry.getSingleMetric(
    'contribution_admission_requests_in_progress',
  )!;
  const { values } = await gauge.get();
  inProgress.push(values.reduce((total, { value }) => total + value, 0));
  return ['93.184.215.14'];
};

beforeAll(async () => {
  service = await startService({ resolveHost });
});
beforeEach(() => {
  inProgress = [];
});
afterAll(() => service.stop());

test('a request that waits for a name server holds no slot', async () => {
  const { test: client } = await service.addCompany();
  const { body } = await client.post(path, { url: 'https://one.example.com/' }).expect(201);
  const endpoint = `${path}/${body.endpoint_id as string}`;
  await client.patch(endpoint, { url: 'https://two.example.com/' }).expect(200);
  expect(inProgress).toEqual([0, 0]);
});
