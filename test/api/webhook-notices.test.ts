import { isFullRun, sample } from '../support/full-run';
import { operate } from '../support/operations';
import { readFeed } from '../support/feed';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { accept, respondWith, startReceiver } from '../support/webhook-receiver';
import { createWebhookWorlds, deliversHere, receives, type WebhookWorld } from '../support/webhook-world';
import { verifyDatabase } from '../suites/faults/verify';

/** Events without a contribution: links, failing endpoints, and deliveries that were given up. */
let service: TestService;
let worlds: ReturnType<typeof createWebhookWorlds>;

beforeAll(async () => {
  service = await startService({ settings: deliversHere, pollMs: 50 });
  worlds = createWebhookWorlds(service);
});
afterEach(async () => {
  await worlds.end();
  await worlds.relay();
});
afterAll(async () => {
  // A violation stays, so one look after all tests finds it.
  if (isFullRun) expect(await verifyDatabase(service.database.operatorUrl)).toEqual([]);
  await service.stop();
});

const noticesOf = async ({ company }: WebhookWorld) => {
  await worlds.relay();
  return (await readFeed(company.test)).data.filter(({ type }) => !type.startsWith('contribution.'));
};

/** Sets how long the endpoint has failed, and makes its next probe due. */
const failsFor = ({ endpointId }: WebhookWorld, hours: number) =>
  service.database.admin.query(
    `UPDATE webhook_endpoints SET failure_count = GREATEST(failure_count, 20), next_probe_at = now(),
            failing_since = now() - $2 * interval '1 hour' WHERE endpoint_id = $1`,
    [endpointId, hours],
  );

/** Sets how long the endpoint has failed, and waits until its next probe is recorded. */
async function failsOnceMore(it: WebhookWorld, hours: number): Promise<void> {
  const before = it.receiver.received.length;
  await failsFor(it, hours);
  await until('a probe arrives', () => it.receiver.received.length > before);
  await until('it is recorded', async () => {
    const { rows } = await service.database.admin.query(
      'SELECT FROM webhook_endpoints WHERE endpoint_id = $1 AND leased_until IS NULL AND next_probe_at > now()',
      [it.endpointId],
    );
    return rows.length === 1;
  });
}

test('the start and the end of a link are in the feeds of both companies, and in no other', async () => {
  const [company, bank, other] = [
    await service.addCompany(),
    await service.addCompany(),
    await service.addCompany(),
  ];
  await service.companies.linkBank('test', company.name, bank.name);
  await service.companies.linkBank('test', company.name, bank.name);
  await service.companies.unlinkBank('test', company.name, bank.name);
  await worlds.relay();
  const [ofCompany, ofBank] = [(await readFeed(company.test)).data, (await readFeed(bank.test)).data];
  expect(ofCompany.map(({ type }) => type)).toEqual(['bank_link.started', 'bank_link.ended']);
  expect(ofCompany).toEqual(ofBank);
  const [started, ended] = ofCompany.map(({ data }) => data);
  expect(started).toEqual({ ...ended, unlinked_at: null });
  expect(ended!['unlinked_at']).toEqual(expect.stringMatching(/Z$/));
  expect((await readFeed(other.test)).data).toEqual([]);
  expect((await readFeed(company.production)).data).toEqual([]);
});

test("a company's reset is in the feed of its bank and goes to the bank's endpoint", async () => {
  const it = await worlds.world();
  const bank = it.company;
  const [company, other] = [await service.addCompany(), await service.addCompany()];
  for (const linked of [company, other]) await service.companies.linkBank('test', linked.name, bank.name);
  const reset = () => company.test.post('/company/integration/sandbox/reset', {}).expect(200);
  const times = [(await reset()).body.reset_at as string, (await reset()).body.reset_at as string];
  await worlds.relay();
  const notices = await noticesOf(it);
  const resets = notices.filter(({ type }) => type === 'sandbox.reset');
  const [{ data: link }] = (await readFeed(other.test)).data as [(typeof notices)[number]];
  expect(resets.map(({ type, data }) => ({ type, data }))).toEqual(
    times.map((time, index) => ({
      type: 'sandbox.reset',
      data: {
        company_id: expect.any(String),
        bank_company_id: link['bank_company_id'],
        reset_at: time,
        generation: index + 1,
      },
    })),
  );
  await receives(it.receiver, 4);
  expect(it.receiver.received.map(({ event }) => event).sort((a, b) => a.sequence - b.sequence)).toEqual(
    await noticesOf(it),
  );
  // The feed of the company starts again without an event.
  expect((await readFeed(company.test)).data).toEqual([]);
  expect((await readFeed(other.test)).data.map(({ type }) => type)).toEqual(['bank_link.started']);
});

test('a reset by the previous version, which could not show its event, leaves none', async () => {
  const it = await worlds.world();
  const company = await service.addCompany();
  await service.companies.linkBank('test', company.name, it.company.name);
  await service.database.admin.query(
    `SELECT reset_sandbox(environment_id, 10) FROM environments JOIN companies USING (company_id)
      WHERE kind = 'test' AND name = $1`,
    [company.name],
  );
  expect((await noticesOf(it)).map(({ type }) => type)).toEqual(['bank_link.started']);
});

test('a dry run of a link leaves no event', async () => {
  const [company, bank] = [await service.addCompany(), await service.addCompany()];
  await operate(
    service.database,
    ({ companies }) => companies.linkBank('test', company.name, bank.name),
    'dry-run',
  );
  await worlds.relay();
  expect((await readFeed(company.test)).data).toEqual([]);
});

test('a failing endpoint is reported after 1 hour, 24 hours and 4 days, and once it has recovered', async () => {
  const it = await worlds.world();
  const other = await it.addEndpoint();
  it.receiver.behave(respondWith(503));
  await it.createAndComplete();
  await worlds.relay();
  await receives(other.receiver, 2);
  await until('it has failed', async () => (await it.endpoint())['failing_since'] !== null);
  const counts: number[] = [];
  for (const hours of [0.5, 1.5, 2, 25, 30, 97, 100]) {
    await failsOnceMore(it, hours);
    counts.push((await noticesOf(it)).length);
  }
  expect(counts).toEqual([0, 1, 1, 2, 2, 3, 3]);
  it.receiver.behave(accept);
  await it.hurry();
  await until('it is reported', async () => (await noticesOf(it)).length === 4);
  const notices = await noticesOf(it);
  expect(notices.map(({ type }) => type)).toEqual([
    ...Array.from({ length: 3 }, () => 'webhook_endpoint.failing'),
    'webhook_endpoint.recovered',
  ]);
  const [{ data }] = notices as [(typeof notices)[0]];
  const since = data['failing_since'] as string;
  expect(data).toEqual({
    endpoint_id: it.endpointId,
    failing_since: since,
    disables_at: new Date(Date.parse(since) + 5 * 86_400_000).toISOString(),
    disabled_reason: null,
  });
  await receives(other.receiver, 6);
  await it.positionReaches(6);
  // The other endpoint gets the notices, and the failing one does not.
  const typesOf = (receiver: typeof it.receiver) => new Set(receiver.received.map(({ event }) => event.type));
  expect(typesOf(other.receiver)).toContain('webhook_endpoint.failing');
  expect([...typesOf(it.receiver)].filter((type) => type.startsWith('webhook_'))).toEqual([]);
});

test.each(sample(['enable', 'a new URL'] as const, 1))(
  'an endpoint that was reported as failing is reported again after %s: it fails for an hour, or it works',
  async (repair) => {
    const it = await worlds.world();
    const replace = await startReceiver();
    const typesAfter = async (count: number) => {
      await until('it is reported', async () => (await noticesOf(it)).length === count);
      return (await noticesOf(it)).map(({ type }) => type);
    };
    try {
      it.receiver.behave(respondWith(503));
      await it.createAndComplete();
      await worlds.relay();
      await until('it has failed', async () => (await it.endpoint())['failing_since'] !== null);
      await failsOnceMore(it, 25);
      expect(await typesAfter(1)).toEqual(['webhook_endpoint.failing']);
      // It still fails, at the new URL too.
      await it.company.test.post(`${it.one}/enable`).expect(200);
      await until('it fails again', async () => (await it.endpoint())['failing_since'] !== null);
      await failsOnceMore(it, 1.5);
      const failing = ['webhook_endpoint.failing', 'webhook_endpoint.failing'];
      expect(await typesAfter(2)).toEqual(failing);
      it.receiver.behave(accept);
      if (repair === 'enable') await it.company.test.post(`${it.one}/enable`).expect(200);
      else {
        await it.company.test.patch(it.one, { url: replace.url }).expect(200);
        await it.company.test.post(`${it.one}/ping`).expect(200);
      }
      expect(await typesAfter(3)).toEqual([...failing, 'webhook_endpoint.recovered']);
      await it.createAndComplete();
      await worlds.relay();
      await until('both are delivered', async () => (await it.endpoint())['position'] === 7);
      expect(await noticesOf(it)).toHaveLength(3);
    } finally {
      await replace.stop();
    }
  },
);

test.each(sample(['gone', 'failing', 'operator'] as const, 1))(
  'an endpoint that is disabled is reported: %s',
  async (reason) => {
    const it = await worlds.world();
    if (reason === 'operator') {
      const disable = () =>
        operate(service.database, ({ webhookEndpoints }) => webhookEndpoints.disable(it.endpointId));
      expect(await disable()).toBe(true);
      expect(await disable()).toBe(false);
    } else {
      it.receiver.behave(respondWith(reason === 'gone' ? 410 : 500));
      await it.completions.create();
      await worlds.relay();
      const isDisabled = async () => (await it.endpoint())['status'] === 'disabled';
      // An attempt in progress may end later and record its own health, so repeat the change.
      for (let tries = 0; reason === 'failing' && tries < 10 && !(await isDisabled()); tries += 1) {
        await failsFor(it, 121);
        await until('it is disabled', isDisabled, 1_000).catch(() => undefined);
      }
      await until('it is disabled', isDisabled);
    }
    expect(await noticesOf(it)).toMatchObject([
      {
        type: 'webhook_endpoint.disabled',
        data: { endpoint_id: it.endpointId, disabled_reason: reason, disables_at: null },
      },
    ]);
  },
);

test('a delivery that is given up is reported, and a notice that is given up is not', async () => {
  const it = await worlds.world();
  const other = await it.addEndpoint({ types: ['webhook_delivery.exhausted'] });
  it.receiver.behave((received, response, count) => {
    (received.event.type === 'contribution.created' ? respondWith(500) : accept)(received, response, count);
  });
  other.receiver.behave(respondWith(500));
  const id = await it.createAndComplete();
  await worlds.relay();
  await it.positionReaches(2);
  const giveUp = async () => {
    const { rowCount } = await service.database.admin.query(
      'UPDATE webhook_retries SET attempts = 12, outage_attempts = 0, next_attempt_at = now() WHERE attempts BETWEEN 1 AND 10',
    );
    expect(rowCount).toBe(1);
  };
  await giveUp();
  await until('it is reported', async () => (await noticesOf(it)).length === 1);
  const [notice] = await noticesOf(it);
  expect(notice).toMatchObject({
    type: 'webhook_delivery.exhausted',
    data: {
      endpoint_id: it.endpointId,
      event_type: 'contribution.created',
      transaction_id: id,
      attempts: 13,
      failure: 'status',
      status: 500,
    },
  });
  await receives(other.receiver, 1);
  await until('it waits for a retry', async () => {
    const { rows } = await service.database.admin.query(
      'SELECT FROM webhook_retries WHERE endpoint_id = $1 AND attempts = 1',
      [other.endpointId],
    );
    return rows.length === 1;
  });
  await giveUp();
  await until('nothing waits', async () => {
    const { rows } = await service.database.admin.query('SELECT FROM webhook_retries');
    return rows.length === 0;
  });
  expect(await noticesOf(it)).toHaveLength(1);
});
