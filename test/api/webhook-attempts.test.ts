import { createOldRowsStore } from '../../src/features/webhooks/attempts/old-rows.store';
import { readFeed } from '../support/feed';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { accept, respondWith } from '../support/webhook-receiver';
import { createWebhookWorlds, deliversHere, receives, type WebhookWorld } from '../support/webhook-world';

/** The log of attempts as partners read it: what was sent, when, and the receiver's response. */
let service: TestService;
let worlds: ReturnType<typeof createWebhookWorlds>;

beforeAll(async () => {
  service = await startService({ settings: deliversHere, pollMs: 50 });
  worlds = createWebhookWorlds(service);
});
afterEach(() => worlds.end());
afterAll(() => service.stop());

interface Attempt {
  attempt_id: string;
  endpoint_id: string;
  event_id: string;
  kind: string;
  outcome: string;
  attempted_at: string;
  duration_ms: number;
}
interface Page {
  data: Attempt[];
  has_more: boolean;
  next_cursor: string | null;
}

const read = async (it: WebhookWorld, query = ''): Promise<Page> =>
  (await it.company.test.get(`${it.one}/attempts${query}`).expect(200)).body as Page;
const ofEvent = async (it: WebhookWorld, eventId: string): Promise<Page> =>
  (await it.company.test.get(`/company/integration/events/${eventId}/attempts`).expect(200)).body as Page;
const reaches = (it: WebhookWorld, count: number) =>
  until(`${count} attempts are listed`, async () => (await read(it)).data.length === count);

/** Reads all pages. */
async function pages(it: WebhookWorld, query: string): Promise<Attempt[]> {
  const found: Attempt[] = [];
  for (let next = ''; ;) {
    const page = await read(it, `?${query}${next}`);
    found.push(...page.data);
    expect(page.has_more).toBe(page.next_cursor !== null);
    if (page.next_cursor === null) return found;
    next = `&cursor=${page.next_cursor}`;
  }
}

/** Six events, of which the receiver accepts all but the third at once. */
async function withOneFailure(): Promise<WebhookWorld> {
  const it = await worlds.world();
  it.receiver.behave((received, response, count) => {
    (received.event.sequence === 3 ? respondWith(503, {}, 'busy') : accept)(received, response, count);
  });
  await Promise.all(Array.from({ length: 6 }, () => it.completions.create()));
  await worlds.relay();
  await receives(it.receiver, 6);
  await reaches(it, 6);
  return it;
}

test('one request answers whether, when and how an event was delivered to an endpoint', async () => {
  const it = await worlds.worldWith(6);
  const other = await it.addEndpoint();
  const startedAt = Date.now();
  await it.completions.create();
  await worlds.relay();
  await receives(other.receiver, 1);
  await reaches(it, 7);
  const event = (await readFeed(it.company.test)).data.at(-1)!;
  const { data } = await read(it, `?event_id=${event.id}`);
  expect(data).toEqual([
    {
      attempt_id: expect.any(String),
      endpoint_id: it.endpointId,
      event_id: event.id,
      kind: 'first',
      attempt: 1,
      outcome: 'delivered',
      failure: null,
      status: 204,
      attempted_at: expect.any(String),
      duration_ms: expect.any(Number),
      response: null,
    },
  ]);
  const attemptedAt = Date.parse(data[0]!.attempted_at);
  // The times of the database and of the process may differ by a few milliseconds.
  expect(attemptedAt).toBeGreaterThan(startedAt - 100);
  expect(attemptedAt + data[0]!.duration_ms).toBeLessThan(Date.now() + 100);
  await until('both endpoints are listed', async () => (await ofEvent(it, event.id)).data.length === 2);
  expect((await ofEvent(it, event.id)).data.map((one) => one.endpoint_id).sort()).toEqual(
    [it.endpointId, other.endpointId].sort(),
  );
});

test('successes and failures are in one order, on pages that new attempts do not shift', async () => {
  const it = await withOneFailure();
  const all = (await read(it)).data;
  expect(all.map(({ outcome }) => outcome).sort()).toEqual([...Array<string>(5).fill('delivered'), 'failed']);
  const ids = all.map(({ attempt_id: id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort().reverse());
  expect(await pages(it, 'limit=1')).toEqual(all);
  expect(await pages(it, 'limit=4')).toEqual(all);

  const first = await read(it, '?limit=2');
  await it.completions.create();
  await worlds.relay();
  await reaches(it, 7);
  const second = await read(it, `?limit=2&cursor=${first.next_cursor}`);
  expect([...first.data, ...second.data]).toEqual(all.slice(0, 4));
});

test('outcome selects successes or failures', async () => {
  const it = await withOneFailure();
  const all = (await read(it)).data;
  for (const outcome of ['delivered', 'failed', 'exhausted'])
    expect(await pages(it, `limit=2&outcome=${outcome}`)).toEqual(
      all.filter((attempt) => attempt.outcome === outcome),
    );
  const failed = all.find(({ outcome }) => outcome === 'failed')!;
  expect((await read(it, `?event_id=${failed.event_id}&outcome=delivered`)).data).toEqual([]);
  expect((await read(it, `?event_id=${failed.event_id}&outcome=failed`)).data).toEqual([failed]);
  const unknown = await it.company.test.get(`${it.one}/attempts?outcome=lost`).expect(400);
  expect(unknown.body.errors).toMatchObject([{ parameter: 'outcome' }]);
});

test('successes of a replay are listed beside the first deliveries', async () => {
  const it = await worlds.worldWith(4);
  const events = (await readFeed(it.company.test)).data;
  await it.company.test.post(`${it.one}/replays`, { from_sequence: 2, to_sequence: 3 }).expect(201);
  await until('the replay is listed', async () => (await read(it)).data.length === 6);
  const replayed = (await read(it)).data.slice(0, 2);
  expect(replayed.map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ['replay', 'delivered'],
    ['replay', 'delivered'],
  ]);
  expect(replayed.map((one) => one.event_id).sort()).toEqual([events[1]!.id, events[2]!.id].sort());
  expect((await ofEvent(it, events[1]!.id)).data.map(({ kind }) => kind)).toEqual(['replay', 'first']);
});

test('successes are stored for the time of the setting, and failures for 30 days', async () => {
  const it = await withOneFailure();
  const old = createOldRowsStore(service.container.database, 7);
  const age = (days: number) =>
    service.database.admin.query(
      `WITH failures AS (
         UPDATE webhook_attempts SET attempted_at = now() - $2 * interval '1 day' WHERE endpoint_id = $1
       )
       UPDATE webhook_deliveries SET recorded_at = now() - $2 * interval '1 day' WHERE endpoint_id = $1`,
      [it.endpointId, days],
    );
  const stored = async () =>
    (
      await service.database.admin.query<{ deliveries: number; attempts: number }>(
        `SELECT (SELECT count(*)::integer FROM webhook_deliveries WHERE endpoint_id = $1) AS deliveries,
                (SELECT count(*)::integer FROM webhook_attempts WHERE endpoint_id = $1) AS attempts`,
        [it.endpointId],
      )
    ).rows[0]!;
  const isStopped = () => false;
  await service.database.admin.query(
    'UPDATE webhook_retries SET next_attempt_at = $2 WHERE endpoint_id = $1',
    [it.endpointId, 'infinity'],
  );
  const { deliveries } = await stored();
  await age(6.9);
  while (await old.trim(isStopped));
  expect(await stored()).toEqual({ deliveries, attempts: 1 });
  expect((await read(it)).data).toHaveLength(6);
  await age(7.1);
  expect((await read(it)).data.map(({ outcome }) => outcome)).toEqual(['failed']);
  while (await old.trim(isStopped));
  expect(await stored()).toEqual({ deliveries: 0, attempts: 1 });
  await age(30.1);
  expect((await read(it)).data).toEqual([]);
  while (await old.trim(isStopped));
  expect(await stored()).toEqual({ deliveries: 0, attempts: 0 });
});
