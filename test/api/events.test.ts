import { randomUUID } from 'node:crypto';

import { addEndpoint } from '../support/added-endpoint';
import { addProject } from '../support/catalogue';
import { earlier } from '../support/earlier';
import { type Completions, createCompletions } from '../support/completions';
import { environmentOf } from '../support/environment';
import { readFeed, relayAll } from '../support/feed';
import { sendReturn, sendUndo } from '../support/returns';
import { startService, type TestCompany, type TestService } from '../support/service';
import { countAll } from '../support/totals';
import { until } from '../support/until';
import { verificationOf } from '../support/verification';
import { withoutTriggers } from '../support/without-triggers';

/** The event feed: numbers, audiences, contents, filters and waiting. */
const path = '/company/integration/events';

let service: TestService;

beforeAll(async () => {
  service = await startService({ settings: { DATABASE_ACQUIRE_TIMEOUT_MS: '10000' } });
});

afterAll(async () => {
  await relayAll(service.database.admin);
  const report = await verificationOf(service.database.operatorUrl);
  expect(report.checks.flatMap(({ violations }) => violations)).toEqual([]);
  await service.stop();
});

const relay = () => relayAll(service.database.admin);

async function newCompany(): Promise<{ company: TestCompany; completions: Completions }> {
  const company = await service.addCompany();
  return { company, completions: await createCompletions(service, company) };
}

async function code(response: Promise<{ status: number; body: unknown }>): Promise<[number, unknown]> {
  const { status, body } = await response;
  return [status, (body as { code?: string }).code];
}

/**
 * Makes the first events of a company 181 days old, which no request can do. Returns the
 * environment.
 */
async function age(name: string, count: number): Promise<number> {
  const { admin } = service.database;
  const mine = await environmentOf(admin, name);
  await withoutTriggers(admin, [
    `UPDATE events e SET recorded_at = ${earlier('e.recorded_at', '181 days')} FROM feed_events f
      WHERE f.environment_id = e.environment_id AND f.event_id = e.event_id
        AND e.environment_id = ${mine} AND f.sequence <= ${count}`,
    `UPDATE feed_events f SET written_at = ${earlier('f.written_at', '181 days')}
      WHERE f.environment_id = ${mine} AND f.sequence <= ${count}`,
    `UPDATE feeds f SET oldest_written_at = ${earlier('f.oldest_written_at', '181 days')}
      WHERE f.environment_id = ${mine}`,
  ]);
  return mine;
}

describe('the feed of a company', () => {
  test('has the events of its contributions, numbered from 1', async () => {
    const { company, completions } = await newCompany();
    const id = await completions.create('25.50');
    await completions
      .complete(company.test, id, { bank_reference: 'FT-1', value_date: '2026-11-20' })
      .expect(200);
    const returned = await sendReturn(company.test, id, { amount: '5.25', bank_reference: 'RT-1' }).expect(
      201,
    );
    const returnId = (returned.body as { return_id: string }).return_id;
    await sendUndo(company.test, id, returnId, { amount: '1.00' }).expect(201);
    await relay();

    const feed = await readFeed(company.test);
    expect(feed).toMatchObject({ has_more: false, next_after: 4, last_sequence: 4 });
    expect(feed.data.map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'contribution.created'],
      [2, 'contribution.completed'],
      [3, 'contribution.returned'],
      [4, 'contribution.return_undone'],
    ]);
    const [created, completed, wentBack, undone] = feed.data;
    const common = { transaction_id: id, amount: '25.50', currency: 'USD' };
    expect(created!.data).toMatchObject({ ...common, stated_amount: null, bank_reference: null });
    expect(completed!.data).toMatchObject({ ...common, bank_reference: 'FT-1', value_date: '2026-11-20' });
    expect(wentBack!.data).toMatchObject({
      ...common,
      stated_amount: '5.25',
      return_id: returnId,
      undoes: null,
    });
    expect(undone!.data).toMatchObject({
      ...common,
      stated_amount: '1.00',
      undoes: returnId,
      kind: 'paid_again',
    });
    expect(created!.environment).toBe('test');
    const { body } = await company.test.get(`${path}/${completed!.id}`).expect(200);
    expect(body).toEqual(completed);
  });

  test('is empty before the first event, and ends where the next page begins', async () => {
    const { company, completions } = await newCompany();
    expect(await readFeed(company.test)).toEqual({
      data: [],
      has_more: false,
      next_after: 0,
      last_sequence: 0,
    });
    for (let count = 0; count < 3; count += 1) await completions.create('1.00');
    await relay();
    const first = (await company.test.get(`${path}?limit=2`).expect(200)).body as { next_after: number };
    expect(first).toMatchObject({ has_more: true, next_after: 2, last_sequence: 3 });
    const rest = await readFeed(company.test, `&after=${first.next_after}`);
    expect(rest).toMatchObject({ data: [{ sequence: 3 }], has_more: false, next_after: 3 });
    expect((await readFeed(company.test, '&after=3')).data).toEqual([]);
  });

  test('can be filtered by type, contribution and time, and the filter does not hold back next_after', async () => {
    const { company, completions } = await newCompany();
    const id = await completions.create('1.00');
    await completions.complete(company.test, id).expect(200);
    await completions.create('2.00');
    await relay();
    const typed = await readFeed(company.test, '&type=contribution.completed');
    expect(typed).toMatchObject({ data: [{ sequence: 2 }], next_after: 3, has_more: false });
    const one = await readFeed(company.test, `&transaction_id=${id.toLowerCase()}`);
    expect(one.data.map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect((await readFeed(company.test, '&from=2100-01-01T00:00:00Z')).data).toEqual([]);
    expect((await readFeed(company.test, '&to=2100-01-01T00:00:00Z')).data).toHaveLength(3);
    expect((await readFeed(company.test, '&transaction_id=not-an-id')).data).toEqual([]);
  });

  test('is of one environment', async () => {
    const { company, completions } = await newCompany();
    const id = await completions.create('1.00');
    await relay();
    const { data } = await readFeed(company.test);
    expect(data.map((event) => event.data.transaction_id)).toEqual([id]);
    expect((await readFeed(company.production)).data).toEqual([]);
    const other = await service.addCompany();
    expect((await readFeed(other.test)).data).toEqual([]);
    expect(await code(other.test.get(`${path}/${data[0]!.id}`))).toEqual([404, 'event_not_found']);
    expect(await code(company.test.get(`${path}/${randomUUID()}`))).toEqual([404, 'event_not_found']);
  });

  test('rejects a position before its first event and one after its end', async () => {
    const { company, completions } = await newCompany();
    for (let count = 0; count < 3; count += 1) await completions.create('1.00');
    await relay();
    expect(await code(company.test.get(`${path}?after=4`))).toEqual([410, 'feed_restarted']);
    await age(company.name, 2);
    const expire = () => service.database.admin.query('SELECT expire_feed_events(1000)');
    await expire();
    // They are not in the totals yet.
    expect((await readFeed(company.test)).data.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    await countAll(service.database.admin);
    await expire();
    expect(await code(company.test.get(`${path}?after=1`))).toEqual([410, 'events_expired']);
    expect((await readFeed(company.test, '&after=2')).data.map(({ sequence }) => sequence)).toEqual([3]);
    expect((await readFeed(company.test)).data.map(({ sequence }) => sequence)).toEqual([3]);
  });

  test.each([
    ['of all feeds', () => 'expire_feed_events(1000)'],
    ['of one feed', (environmentId: number) => `expire_feed_events(1000, ${environmentId})`],
  ])('no longer has a notice after an expiry %s', async (_, expiry) => {
    const { company } = await newCompany();
    const { admin } = service.database;
    const { endpointId } = await addEndpoint(admin, company.name);
    await admin.query(
      `SELECT append_environment_event(environment_id, $2, 'webhook_endpoint.disabled', now(), '{}', $3)
         FROM environments JOIN companies USING (company_id) WHERE kind = 'test' AND name = $1`,
      [
        company.name,
        randomUUID(),
        { endpoint_id: endpointId, failing_since: null, disables_at: null, disabled_reason: 'operator' },
      ],
    );
    await relay();
    const notices = async () => {
      const { rows } = await admin.query(`SELECT FROM environment_events WHERE data ->> 'endpoint_id' = $1`, [
        endpointId,
      ]);
      return [(await readFeed(company.test)).data.length, rows.length];
    };
    expect(await notices()).toEqual([1, 1]);
    const environmentId = await age(company.name, 1);
    await countAll(admin);
    await admin.query(`SELECT ${expiry(environmentId)}`);
    expect(await notices()).toEqual([0, 0]);
  });

  test('contains no user_hash and no name, and the idempotency key only for the company', async () => {
    const { company, completions } = await newCompany();
    const bank = await service.addCompany();
    await completions.link(bank);
    const body = { project_id: await addProject(service.database.admin), amount: '1.00' };
    await company.test
      .put('/company/integration/contributions/create', { ...body, user_hash: 'canary-hash', name: 'Canary' })
      .set('Idempotency-Key', 'key-of-the-company')
      .expect(201);
    await relay();
    const [own, seen] = [await readFeed(company.test), await readFeed(bank.test)];
    expect([own.data.length, seen.data.length]).toEqual([2, 2]);
    expect(JSON.stringify([own, seen])).not.toMatch(/canary/i);
    expect(own.data[1]!.data['idempotency_key']).toBe('key-of-the-company');
    expect(JSON.stringify(seen)).not.toContain('key-of-the-company');
    const { rows } = await service.database.admin.query<{ text: string }>(
      'SELECT e::text AS text FROM feed_events e',
    );
    expect(rows.filter(({ text }) => /canary/i.test(text))).toEqual([]);
  });

  test('needs the scope events:read', async () => {
    const company = await service.addCompany(undefined, ['contributions:read']);
    expect(await code(company.test.get(path))).toEqual([403, 'scope_missing']);
  });
});

describe('the feed of a bank', () => {
  test("has the events of its companies during the link, without the company's idempotency keys", async () => {
    const { company, completions } = await newCompany();
    const bank = await service.addCompany();
    const before = await completions.create('1.00');
    await completions.complete(company.test, before).expect(200);
    await service.companies.linkBank('test', company.name, bank.name);
    const during = await completions.create('2.00');
    await completions.complete(bank.test, during, { bank_reference: 'FT-2' }).expect(200);
    await service.companies.unlinkBank('test', company.name, bank.name);
    await completions.create('3.00');
    await sendReturn(bank.test, during, { amount: '2.00' }).expect(201);
    await relay();

    const seen = (await readFeed(bank.test)).data;
    expect(seen.map(({ sequence, type, data }) => [sequence, type, data.transaction_id])).toEqual([
      [1, 'bank_link.started', undefined],
      [2, 'contribution.created', during],
      [3, 'contribution.completed', during],
      [4, 'bank_link.ended', undefined],
      [5, 'contribution.returned', during],
    ]);
    expect(seen[2]!.data['bank_reference']).toBe('FT-2');
    expect(seen.filter(({ data }) => 'idempotency_key' in data)).toEqual([]);
    const own = (await readFeed(company.test)).data;
    expect(own).toHaveLength(8);
    expect(own.map(({ id }) => id)).toEqual(expect.arrayContaining(seen.map(({ id }) => id)));
    expect(own.filter(({ data }) => 'idempotency_key' in data)).toHaveLength(6);
  });

  test("does not have another bank's references", async () => {
    const { company, completions } = await newCompany();
    const [first, second] = [await service.addCompany(), await service.addCompany()];
    await service.companies.linkBank('test', company.name, first.name);
    const id = await completions.create('1.00');
    await completions.complete(first.test, id, { bank_reference: 'FT-first' }).expect(200);
    await service.companies.linkBank('test', company.name, second.name);
    await completions.complete(first.test, id, { bank_reference: 'FT-again' }).expect(200);
    await relay();
    expect((await readFeed(second.test)).data.map(({ type }) => type)).toEqual(['bank_link.started']);
    expect((await readFeed(first.test)).data.map(({ data }) => data['bank_reference'])).toEqual([
      undefined,
      null,
      'FT-first',
      'FT-again',
    ]);
  });
});

/** Waits for the statement that only waiting requests cause. */
const untilItWaits = () =>
  until('a request waits', async () => {
    const { rows } = await service.database.admin.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%f.last_sequence FROM feeds f WHERE f.environment_id = ANY%'
          AND pid <> pg_backend_pid() AND query_start > now() - interval '1 second'`,
    );
    return rows.length > 0;
  });

describe('a request that waits', () => {
  test('gets 401 if its key pair is revoked meanwhile', async () => {
    const { company, completions } = await newCompany();
    const reader = await service.addPair(company, 'test', ['events:read']);
    const waiting = reader.get(`${path}?wait=15`).then((response) => response);
    await untilItWaits();
    await service.keyPairs.revoke(reader.apiKey ?? '');
    await until('the pair is rejected', async () => (await reader.get(path)).status === 401);
    await completions.create('1.00');
    await relay();
    const { status, body } = await waiting;
    expect([status, (body as { code?: string }).code]).toEqual([401, 'credentials_invalid']);
  });

  test('gets 410 if the sandbox is reset meanwhile', async () => {
    const { company, completions } = await newCompany();
    await completions.create('1.00');
    await relay();
    const waiting = company.test.get(`${path}?after=1&wait=2`).then((response) => response);
    await untilItWaits();
    await company.test.post('/company/integration/sandbox/reset', {}).expect(200);
    expect(await code(waiting)).toEqual([410, 'feed_restarted']);
  });

  test('waits no longer than its time if the sandbox is reset meanwhile', async () => {
    const { company } = await newCompany();
    const waiting = company.test.get(`${path}?wait=5`).then((response) => response);
    await untilItWaits();
    await company.test.post('/company/integration/sandbox/reset', {}).expect(200);
    expect((await waiting).status).toBe(200);
  });

  test('gets the event as soon as the feed has it, and meanwhile holds no connection and no slot', async () => {
    const { company, completions } = await newCompany();
    const waiting = company.test.get(`${path}?after=0&wait=15`).then((response) => response);
    await untilItWaits();
    expect(service.container.database.poolState()).toMatchObject({ waiting: 0 });
    const id = await completions.create('1.00');
    await relay();
    const { body } = await waiting;
    expect(body).toMatchObject({ data: [{ sequence: 1, data: { transaction_id: id } }], next_after: 1 });
  });

  test('gets an empty page after its time', async () => {
    const { company } = await newCompany();
    const { body } = await company.test.get(`${path}?wait=1`).expect(200);
    expect(body).toEqual({ data: [], has_more: false, next_after: 0, last_sequence: 0 });
  });

  test('gets 429 if five requests of its environment already wait', async () => {
    const { company } = await newCompany();
    const responses = await Promise.all(
      Array.from({ length: 7 }, () => company.test.get(`${path}?wait=3`).then(({ status }) => status)),
    );
    expect(responses.filter((status) => status === 200)).toHaveLength(5);
    expect(responses.filter((status) => status === 429)).toHaveLength(2);
  });
});

test('the relay of the service writes the feed, and stops with it', async () => {
  const relaying = await startService({ database: service.database, settings: { DELIVERY: 'on' } });
  try {
    const { company, completions } = await newCompany();
    await completions.create('1.00');
    await until('the feed has the event', async () => (await readFeed(company.test)).last_sequence === 1);
  } finally {
    await relaying.stop();
  }
});
