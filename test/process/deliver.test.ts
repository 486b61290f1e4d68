import { Webhook } from 'standardwebhooks';

import { createCompletions, type Completions } from '../support/completions';
import { type ReadEvent, readFeed } from '../support/feed';
import { longTest } from '../support/full-run';
import { randomPepper } from '../support/pepper';
import { build, killLeftoverProcesses, RunningService } from '../support/program';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { hang, respondWith, startReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { verifyEndpoint } from '../support/added-endpoint';

/** The program of `npm run deliver`, beside a service that does not deliver. */
let service: TestService;
let company: TestCompany;
let completions: Completions;
let receiver: WebhookReceiver;
let secret: string;
let endpointId: string;
let settings: Record<string, string>;

beforeAll(async () => {
  await build();
  const webhooks = { WEBHOOK_DESTINATIONS: 'loopback', WEBHOOK_SECRET_KEYS: `1:${randomPepper}` };
  service = await startService({ settings: { DELIVERY: 'off', ...webhooks } });
  settings = {
    DATABASE_URL: service.database.url,
    ALLOW_PLAIN_HTTP: 'on',
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
    ...webhooks,
  };
});
beforeEach(async () => {
  company = await service.addCompany();
  completions = await createCompletions(service, company);
  receiver = await startReceiver();
  const { body } = await company.test
    .post('/company/integration/webhook-endpoints', { url: receiver.url })
    .expect(201);
  ({ secret, endpoint_id: endpointId } = body as { secret: string; endpoint_id: string });
  await verifyEndpoint(service.database.admin, endpointId);
});
afterEach(() => receiver.stop());
afterAll(async () => {
  await killLeftoverProcesses();
  await service.stop();
});

const acceptedIds = (): string[] => receiver.received.map(({ event }) => event.id);

const createAndComplete = (): Promise<string> => completions.createCompleted();

/** Waits until the feed has this many events and the receiver has them all. */
async function everythingArrives(count: number): Promise<string[]> {
  await until(`${count} events arrive`, () => new Set(acceptedIds()).size >= count);
  const data: ReadEvent[] = [];
  for (
    let page = await readFeed(company.test);
    ;
    page = await readFeed(company.test, `&after=${page.next_after}`)
  ) {
    data.push(...page.data);
    if (!page.has_more) break;
  }
  expect(data.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: count }, (_, index) => index + 1),
  );
  expect(new Set(acceptedIds())).toEqual(new Set(data.map(({ id }) => id)));
  return data.map(({ id }) => id);
}

/** The first time that each event of a contribution arrived, they were in the order of the feed. */
function expectOrder(): void {
  const lastOf = new Map<unknown, number>();
  const seen = new Set<string>();
  for (const { event } of receiver.received) {
    if (seen.has(event.id)) continue;
    seen.add(event.id);
    const id = event.data['transaction_id'];
    expect(event.sequence).toBeGreaterThan(lastOf.get(id) ?? 0);
    lastOf.set(id, event.sequence);
  }
}

test('the process relays and delivers events, reports its health and ends with 0', async () => {
  const process = await RunningService.start(settings, 'deliver');
  await createAndComplete();
  await everythingArrives(2);
  const [{ body, headers } = receiver.received[0]!] = receiver.received;
  new Webhook(secret).verify(body, headers as Record<string, string>);
  expect((await fetch(`${process.baseUrl}/health/live`)).status).toBe(200);
  expect((await fetch(`${process.baseUrl}/company/integration/projects-stories`)).status).toBe(404);
  expect(await process.signal('SIGTERM')).toBe(0);
});

longTest('after a shutdown, the next process repeats only the delivery in progress', async () => {
  const process = await RunningService.start({ ...settings, SHUTDOWN_TIMEOUT_MS: '1000' }, 'deliver');
  for (let count = 0; count < 10; count += 1) await completions.create();
  let hanging: string | undefined;
  receiver.behave((received, response, count) => {
    if (count === 5) hanging = received.event.id;
    else respondWith(204)(received, response, count);
  });
  await until('one delivery hangs', () => receiver.received.length >= 8);
  expect(await process.signal('SIGTERM')).toBe(0);
  const next = await RunningService.start(settings, 'deliver');
  await everythingArrives(10);
  await until('it is delivered again', () => acceptedIds().filter((id) => id === hanging).length === 2);
  expect(acceptedIds().length).toBe(11);
  await next.signal('SIGTERM');
});

const leases = async (table: 'webhook_endpoints' | 'webhook_replays') => {
  const { rows } = await service.database.admin.query<{ leased_until: Date | null }>(
    `SELECT leased_until FROM ${table} WHERE endpoint_id = $1`,
    [endpointId],
  );
  return rows;
};

longTest(
  'a shutdown sends a delivery in progress on a reused connection no second time, and ends its lease',
  async () => {
    const process = await RunningService.start({ ...settings, SHUTDOWN_TIMEOUT_MS: '500' }, 'deliver');
    await createAndComplete();
    await everythingArrives(2);
    receiver.behave(hang);
    await completions.create();
    await until('a delivery hangs', () => receiver.received.length === 3);
    expect(await process.signal('SIGTERM')).toBe(0);
    expect(receiver.received).toHaveLength(3);
    expect(await leases('webhook_endpoints')).toEqual([{ leased_until: null }]);
  },
);

longTest('a shutdown waits for the request of a replay, and ends its lease', async () => {
  const process = await RunningService.start({ ...settings, SHUTDOWN_TIMEOUT_MS: '5000' }, 'deliver');
  await createAndComplete();
  const one = `/company/integration/webhook-endpoints/${endpointId}`;
  await until('both are recorded', async () => (await company.test.get(one)).body.position === 2);
  receiver.behave((received, response, count) => {
    setTimeout(respondWith(204), 1_000, received, response, count);
  });
  const { body } = await company.test.post(`${one}/replays`, { from_sequence: 1 }).expect(201);
  await until('the replay waits for a response', () => receiver.received.length === 3);
  expect(await process.signal('SIGTERM')).toBe(0);
  expect(receiver.received).toHaveLength(3);
  const { replay_id: replayId } = body as { replay_id: string };
  expect((await company.test.get(`${one}/replays/${replayId}`)).body).toMatchObject({ delivered_count: 1 });
  expect(await leases('webhook_replays')).toEqual([{ leased_until: null }]);
});

longTest.each([
  ['restarted', 'SIGTERM'],
  ['killed', 'SIGKILL'],
] as const)(
  'two processes that are %s in turn lose no event and double no number',
  async (_, signal) => {
    const processes = [
      await RunningService.start(settings, 'deliver'),
      await RunningService.start(settings, 'deliver'),
    ];
    let created = 0;
    const state = { isOver: false };
    const load = (async () => {
      for (; !state.isOver; created += 1) await createAndComplete();
    })();
    for (let turn = 0; turn < 20; turn += 1) {
      await processes[turn % 2]!.signal(signal);
      processes[turn % 2] = await RunningService.start(settings, 'deliver');
      // Otherwise, the endpoint of a killed process waits for 30 seconds.
      if (signal === 'SIGKILL')
        await service.database.admin.query('UPDATE webhook_endpoints SET leased_until = NULL');
    }
    state.isOver = true;
    await load;
    await service.database.admin.query('UPDATE webhook_endpoints SET leased_until = NULL');
    const ids = await everythingArrives(2 * created);
    expectOrder();
    if (signal === 'SIGTERM') expect(acceptedIds().length).toBe(ids.length);
    for (const process of processes) expect(await process.signal('SIGTERM')).toBe(0);
  },
  180_000,
);
