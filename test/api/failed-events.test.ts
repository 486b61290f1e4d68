import { randomUUID } from 'node:crypto';

import { createCompletions } from '../support/completions';
import { startService, type TestCompany, type TestService } from '../support/service';
import { relayAll } from '../support/feed';
import { operate } from '../support/operations';
import { verificationOf } from '../support/verification';

/** Events that the relay cannot write to the feeds, such as rows that somebody inserted by hand. */
let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const environmentOf = async ({ name }: TestCompany): Promise<number> =>
  (
    await service.database.admin.query<{ id: number }>(
      `SELECT e.environment_id AS id FROM environments e JOIN companies c USING (company_id)
        WHERE e.kind = 'test' AND c.name = $1`,
      [name],
    )
  ).rows[0]!.id;

interface Row {
  time?: string;
  audience?: number[];
  data?: object;
}

/** Inserts and queues an event before all others, as the owner of the tables can. */
async function insert(environmentId: number, { time = 'now', audience = [], data }: Row): Promise<string> {
  const eventId = randomUUID();
  await service.database.admin.query(
    `INSERT INTO environment_events (environment_id, event_id, type, recorded_at, audience, data)
     VALUES ($1, $2, 'webhook_endpoint.recovered', $3, $4, $5)`,
    [
      ...[environmentId, eventId, time, audience],
      data ?? { endpoint_id: randomUUID(), failing_since: null, disables_at: null, disabled_reason: null },
    ],
  );
  await service.database.admin.query(
    `INSERT INTO event_queue (environment_id, event_id, queued_at) VALUES ($1, $2, '2026-01-01Z')`,
    [environmentId, eventId],
  );
  return eventId;
}

/** Runs the relay as each process does: for all environments, and after a failure for each one. */
async function relay(...environmentIds: number[]): Promise<void> {
  const { admin } = service.database;
  await admin.query('SELECT relay_events(1000)').catch(async () => {
    for (const id of environmentIds) await admin.query('SELECT relay_events(100, $1)', [id]).catch(() => 0);
  });
}

const feedOf = async (company: TestCompany): Promise<string[]> => {
  const { body } = await company.test.get('/company/integration/events?after=0').expect(200);
  return (body as { data: { type: string }[] }).data.map(({ type }) => type);
};

async function stateOf(eventId: string) {
  const { rows } = await service.database.admin.query<{
    failures: number;
    is_set_aside: boolean;
    problem: string;
  }>(
    `SELECT failure_count AS failures, retry_at = 'infinity' AS is_set_aside, problem FROM event_queue WHERE event_id = $1`,
    [eventId],
  );
  return rows[0];
}

const hurry = (eventId: string) =>
  service.database.admin.query(
    `UPDATE event_queue SET retry_at = now() WHERE event_id = $1 AND retry_at < 'infinity'`,
    [eventId],
  );

const dropAll = async (): Promise<void> => {
  await service.database.admin.query(
    'DELETE FROM environment_events WHERE event_id IN (SELECT event_id FROM event_queue)',
  );
  await service.database.admin.query('DELETE FROM event_queue');
};

test.each<[string, (other: number) => Row]>([
  ['an audience that does not exist', () => ({ audience: [999_999] })],
  ['an audience of another company', (other) => ({ audience: [other] })],
  ['an infinite time', () => ({ time: 'infinity' })],
  ['another shape', () => ({ data: { endpoint_id: 7 } })],
])('an event with %s does not hold back other events, and does not reach a feed', async (_, row) => {
  const company = await service.addCompany();
  const other = await service.addCompany();
  const [own, others] = [await environmentOf(company), await environmentOf(other)];
  const eventId = await insert(own, row(others));
  await (await createCompletions(service, company)).create('1.00');
  await (await createCompletions(service, other)).create('1.00');
  await relay(own, others);
  expect(await feedOf(company)).toEqual(['contribution.created']);
  expect(await feedOf(other)).toEqual(['contribution.created']);
  expect(await stateOf(eventId)).toMatchObject({ failures: 1, is_set_aside: false });
  const report = await verificationOf(service.database.operatorUrl);
  const violations = report.checks.find(({ check }) => check === 'environment-event-well-formed')!.violations;
  expect(violations.map((one) => one['event_id'])).toEqual([eventId]);
  await dropAll();
});

test('an event that fails four times is set aside, until it is repaired and released', async () => {
  const company = await service.addCompany();
  const own = await environmentOf(company);
  const eventId = await insert(own, { time: 'infinity' });
  for (const failures of [1, 2, 3, 4]) {
    await relay(own);
    expect(await stateOf(eventId)).toEqual({
      failures,
      is_set_aside: failures === 4,
      problem: '23514 environment_events_well_formed',
    });
    await hurry(eventId);
  }
  // The common run no longer fails.
  await service.database.admin.query('SELECT relay_events(1000)');
  await service.database.admin.query(
    'UPDATE environment_events SET recorded_at = now() WHERE event_id = $1',
    [eventId],
  );
  await service.database.admin.query(
    'UPDATE event_queue SET failure_count = 0, retry_at = NULL, problem = NULL WHERE event_id = $1',
    [eventId],
  );
  await relayAll(service.database.admin);
  expect(await feedOf(company)).toEqual(['webhook_endpoint.recovered']);
});

test('the events of a contribution wait together, in their order', async () => {
  const company = await service.addCompany();
  const own = await environmentOf(company);
  const id = await (await createCompletions(service, company)).createCompleted('1.00');
  const { admin } = service.database;
  const evidence = (value: string) =>
    admin.query(
      `SET session_replication_role = replica;
       UPDATE events SET evidence = '${value}' WHERE transaction_id = '${id}' AND type = 'contribution.completed';
       SET session_replication_role = DEFAULT`,
    );
  // The trigger makes a write to the feed fail, as a defect would.
  await admin.query(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.data ->> 'bank_reference' = 'poison' THEN PERFORM 'x'::integer; END IF; RETURN NEW; END $$;
     CREATE TRIGGER fail BEFORE INSERT ON feed_events FOR EACH ROW EXECUTE FUNCTION fail()`,
  );
  await evidence('{"bank_reference": "poison"}');
  await (await createCompletions(service, company)).create('2.00');
  await relay(own);
  expect(await feedOf(company)).toEqual(['contribution.created']);
  const { rows } = await admin.query('SELECT failure_count, problem FROM event_queue');
  expect(rows).toEqual(Array.from({ length: 2 }, () => ({ failure_count: 1, problem: '22P02' })));
  await evidence('{}');
  await admin.query('UPDATE event_queue SET retry_at = now()');
  await relay(own);
  expect(await feedOf(company)).toEqual([
    'contribution.created',
    'contribution.created',
    'contribution.completed',
  ]);
  await admin.query('DROP TRIGGER fail ON feed_events');
});

test('an event that concerns no contribution can be dropped while it waits, and once it is set aside', async () => {
  const own = await environmentOf(await service.addCompany());
  const drop = (eventId: string) =>
    operate(service.database, ({ failedEvents }) => failedEvents.drop(eventId));
  const [waiting, setAside] = [
    await insert(own, { time: 'infinity' }),
    await insert(own, { time: 'infinity' }),
  ];
  // An event that has not failed is about to reach the feeds.
  expect(await drop(waiting)).toBe(false);
  await relay(own);
  expect(await stateOf(waiting)).toMatchObject({ failures: 1, is_set_aside: false });
  await service.database.admin.query(`UPDATE event_queue SET retry_at = 'infinity' WHERE event_id = $1`, [
    setAside,
  ]);
  expect([await drop(waiting), await drop(setAside)]).toEqual([true, true]);
  expect([await stateOf(waiting), await stateOf(setAside)]).toEqual([undefined, undefined]);
  const { rowCount } = await service.database.admin.query(
    'SELECT FROM environment_events WHERE event_id = ANY ($1)',
    [[waiting, setAside]],
  );
  expect(rowCount).toBe(0);
});

test('an event of a contribution is never dropped', async () => {
  const company = await service.addCompany();
  await (await createCompletions(service, company)).create('1.00');
  const { rows } = await service.database.admin.query<{ id: string }>(
    `UPDATE event_queue SET failure_count = 4, retry_at = 'infinity', problem = '22P02'
      WHERE environment_id = $1 RETURNING event_id AS id`,
    [await environmentOf(company)],
  );
  const { id } = rows[0]!;
  expect(await operate(service.database, ({ failedEvents }) => failedEvents.drop(id))).toBe(false);
  expect(await stateOf(id)).toMatchObject({ is_set_aside: true });
  await service.database.admin.query(
    'UPDATE event_queue SET failure_count = 0, retry_at = NULL, problem = NULL',
  );
});
