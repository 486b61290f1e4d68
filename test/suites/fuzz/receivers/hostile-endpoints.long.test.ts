import { addProject } from '../../../support/catalogue';
import { testWebhookKeys } from '../../../support/assemble-service';
import { relayAll } from '../../../support/feed';
import { startService, type TestCompany, type TestService } from '../../../support/service';
import { until } from '../../../support/until';
import { respondWith, startReceiver, type WebhookReceiver } from '../../../support/webhook-receiver';
import { deliversHere } from '../../../support/webhook-world';
import { verifyDatabase } from '../../faults/verify';
import { type HostileReceiver, startHostileReceiver } from './hostile-receiver';
import { hostileResponses } from './hostile-responses';
import { verifyEndpoint } from '../../../support/added-endpoint';

/** The real service delivers to one healthy endpoint beside hostile ones. */
const path = '/company/integration/webhook-endpoints';
const endpointsOfCompany = 10;
const canaries = { user_hash: 'canary-of-a-user-hash', name: 'Canary Of A Name' };

let service: TestService;
let projectId: number;
let hostile: HostileReceiver;
let healthy: WebhookReceiver;

beforeAll(async () => {
  service = await startService({ settings: deliversHere });
  projectId = await addProject(service.database.admin);
  hostile = await startHostileReceiver((number) => hostileResponses[number]!);
  healthy = await startReceiver();
});
afterAll(async () => {
  await service.database.admin.query('DELETE FROM webhook_endpoints');
  expect(await verifyDatabase(service.database.adminUrl)).toEqual([]);
  await Promise.all([hostile.stop(), healthy.stop()]);
  await service.stop();
});

async function addEndpoint({ test }: TestCompany, url: string) {
  const { body } = await test.post(path, { url }).expect(201);
  await verifyEndpoint(service.database.admin, body.endpoint_id as string);
  return body as { endpoint_id: string; secret: string };
}

async function create({ test }: TestCompany): Promise<void> {
  const order = { project_id: projectId, amount: '5.00', ...canaries };
  await test.put('/company/integration/contributions/create', order).expect(201);
}

const relay = () => relayAll(service.database.admin);

test('hostile endpoints do not stop deliveries to a healthy one', async () => {
  const companies = await Promise.all(
    Array.from({ length: Math.ceil(hostileResponses.length / endpointsOfCompany) }, () =>
      service.addCompany(),
    ),
  );
  for (const number of hostileResponses.keys()) {
    const company = companies[Math.floor(number / endpointsOfCompany)]!;
    await addEndpoint(company, `http://127.0.0.1:${hostile.port}/${number}`);
    await create(company);
  }
  const company = await service.addCompany();
  await addEndpoint(company, healthy.url);
  await relay();
  await until('the hostile endpoints are attempted', () => hostile.open() > 0);
  for (let round = 1; round <= 5; round += 1) {
    await create(company);
    await relay();
    await until('the healthy endpoint gets its event', () => healthy.received.length === round);
  }
  expect(healthy.received.map(({ event }) => event.sequence)).toEqual([1, 2, 3, 4, 5]);
});

test('no secret and no user appears in payloads, attempts, logs and metrics', async () => {
  const company = await service.addCompany();
  // It echoes each request in its response, and the log of attempts stores the response.
  const echo = await startReceiver((received, response) => {
    respondWith(500, {}, JSON.stringify([received.headers, received.body]))(received, response, 0);
  });
  const { endpoint_id: endpointId, secret } = await addEndpoint(company, echo.url);
  await create(company);
  await relay();
  await until('it is attempted', () => echo.received.length > 0);
  const attempts = async () =>
    (await company.test.get(`${path}/${endpointId}/attempts`).expect(200)).body as { data: object[] };
  await until('the attempt is logged', async () => (await attempts()).data.length > 0);
  await company.test.post(`${path}/${endpointId}/ping`).expect(200);
  service.container.flushLogs();
  const places = {
    payloads: JSON.stringify([...healthy.received, ...echo.received]),
    attempts: JSON.stringify(await attempts()),
    logs: service.logLines.join('\n'),
    metrics: await service.container.metrics.registry.metrics(),
  };
  // Otherwise, the texts below could not be found.
  expect(places.payloads).toContain('contribution.created');
  expect(places.attempts).toContain('webhook-signature');
  expect(places.metrics).toContain('webhook_attempts_total');
  const [key] = [...testWebhookKeys.values()];
  const forbidden = [
    ...Object.values(canaries),
    ...[secret, secret.replace('whsec_', ''), company.test.apiSecret!],
    ...(['hex', 'base64'] as const).map((encoding) => key!.toString(encoding)),
  ];
  for (const [place, text] of Object.entries(places))
    for (const canary of forbidden) expect([place, text.includes(canary)]).toEqual([place, false]);
  await echo.stop();
});
