import { Client as PostgresClient } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { createCountContributionsStore } from '../../src/features/totals/count-contributions.store';
import { addProject } from '../support/catalogue';
import type { Client } from '../support/client';
import { earlier } from '../support/earlier';
import { relayAll } from '../support/feed';
import { operate } from '../support/operations';
import { sendReturn, sendUndo } from '../support/returns';
import { startService, type TestCompany, type TestService } from '../support/service';
import { countAll, type ReadSums, readTotals, recentDays } from '../support/totals';
import { verificationOf } from '../support/verification';
import { withoutTriggers } from '../support/without-triggers';

/** Totals of contributions per day, project, company and status. */
const contributions = '/company/integration/contributions';
const allDays = recentDays();

let service: TestService;
let projects: number[];

beforeAll(async () => {
  service = await startService();
  const { admin } = service.database;
  projects = [await addProject(admin), await addProject(admin)];
});
afterAll(async () => {
  const report = await verificationOf(service.database.operatorUrl);
  expect(report.checks.flatMap(({ violations }) => violations)).toEqual([]);
  await service.stop();
});

async function create(company: TestCompany, amount: string, project = 0): Promise<string> {
  const body = { project_id: projects[project], amount, user_hash: 'a-user' };
  const { body: created } = await company.test.put(`${contributions}/create`, body).expect(201);
  return (created as { transaction_id: string }).transaction_id;
}

const complete = (client: Client, id: string, evidence: object = {}) =>
  client.put(`${contributions}/${id}`, { status: 'completed', ...evidence }).expect(200);

const cents = (amount: string): number => Math.round(Number(amount) * 100);

interface Listed {
  company_id: string;
  project_id: number;
  status: 'pending' | 'completed';
  amount: string;
  returned_amount: string;
  created_at: string;
  completed_at: string | null;
  value_date: string | null;
}

/** Adds up a caller's own list. The totals must equal these sums. */
function sumsOfList(list: readonly Listed[], by: string, basis: string): Record<string, number[]> {
  const groups: Record<string, number[]> = {};
  for (const each of list) {
    const day = {
      created: each.created_at.slice(0, 10),
      completed: each.completed_at?.slice(0, 10),
      value_date: each.value_date,
    }[basis];
    if (day === null || day === undefined) continue;
    const key = { day, project: each.project_id, company: each.company_id, status: each.status }[by]!;
    const sum = (groups[key] ??= [0, 0, 0, 0, 0]);
    const isCompleted = each.status === 'completed';
    const values = [1, cents(each.amount), isCompleted ? 1 : 0, isCompleted ? cents(each.amount) : 0];
    [...values, cents(each.returned_amount)].forEach((value, place) => (sum[place]! += value));
  }
  return groups;
}

const numbersOf = (sums: ReadSums): number[] => [
  sums.contributions,
  cents(sums.amount),
  sums.completed_contributions,
  cents(sums.completed_amount),
  cents(sums.returned_amount),
];

const groupOf = (row: Record<string, unknown>): string =>
  String(row['day'] ?? row['project_id'] ?? row['company_id'] ?? row['status']);

/** Every kind of total of a caller equals the sums of its list. */
async function expectTotalsOfList(client: Client): Promise<number> {
  const { body } = await client.get(`${contributions}?limit=1000`).expect(200);
  const list = (body as { data: Listed[] }).data;
  for (const basis of ['created', 'completed', 'value_date']) {
    for (const by of ['day', 'project', 'company', 'status']) {
      const { data, total } = await readTotals(client, `${allDays}&by=${by}&basis=${basis}`);
      const expected = sumsOfList(list, by, basis);
      const found = Object.fromEntries(data.map((row) => [groupOf(row), numbersOf(row)]));
      expect({ by, basis, found }).toEqual({ by, basis, found: expected });
      const sum = Object.values(expected).reduce(
        (one, other) => one.map((value, place) => value + other[place]!),
        [0, 0, 0, 0, 0],
      );
      expect(numbersOf(total)).toEqual(sum);
      expect(cents(total.net_amount)).toBe(sum[3]! - sum[4]!);
    }
  }
  return list.length;
}

test('without contributions the totals are empty and zero', async () => {
  const company = await service.addCompany();
  const { data, total, currency } = await readTotals(company.test, allDays);
  expect([data, currency]).toEqual([[], 'USD']);
  expect(numbersOf(total)).toEqual([0, 0, 0, 0, 0]);
});

test('a day has pending, completed and returned contributions, and net_amount is what stayed', async () => {
  const company = await service.addCompany();
  await create(company, '100.00');
  const id = await create(company, '25.50', 1);
  await complete(company.test, id, { value_date: '2026-10-31' });
  const { body } = await sendReturn(company.test, id, { amount: '20.00' }).expect(201);
  const returnId = (body as { return_id: string }).return_id;
  await sendUndo(company.test, id, returnId, { amount: '5.00' }).expect(201);
  await countAll(service.database.admin);

  const ofValueDate = await readTotals(company.test, 'from=2026-10-31&to=2026-11-01&basis=value_date');
  const sums = {
    contributions: 1,
    amount: '25.50',
    completed_contributions: 1,
    completed_amount: '25.50',
    returned_amount: '15.00',
    corrected_amount: '0.00',
    net_amount: '10.50',
  };
  expect(ofValueDate).toMatchObject({ data: [{ day: '2026-10-31', ...sums }], total: sums });
  const ofTheDayAfter = await readTotals(company.test, 'from=2026-11-01&to=2026-11-02&basis=value_date');
  expect(ofTheDayAfter.data).toEqual([]);
  expect((await readTotals(company.test, `${allDays}&by=status`)).data).toEqual([
    { status: 'completed', ...sums },
    {
      status: 'pending',
      contributions: 1,
      amount: '100.00',
      completed_contributions: 0,
      completed_amount: '0.00',
      returned_amount: '0.00',
      corrected_amount: '0.00',
      net_amount: '0.00',
    },
  ]);
  await expectTotalsOfList(company.test);
});

test('a company, its banks and its former banks each get the totals of what their lists show', async () => {
  const names = ['Own', 'Second', 'Bank', 'Later bank', 'Stranger'].map((name) => `${name} of totals`);
  const [own, second, bank, later, stranger] = await Promise.all(
    names.map((name) => service.addCompany(name)),
  );
  const steps: (() => Promise<unknown>)[] = [];
  const move = (company: TestCompany, change: 'linkBank' | 'unlinkBank', toBank: TestCompany) =>
    service.companies[change]('test', company.name, toBank.name);
  const some = async (company: TestCompany, completer: TestCompany | undefined) => {
    const ids = [
      await create(company, '10.00'),
      await create(company, '2.50', 1),
      await create(company, '1.00'),
    ];
    if (!completer) return;
    await complete(completer.test, ids[0]!, { value_date: '2026-11-02' });
    await complete(completer.test, ids[1]!);
    await sendReturn(completer.test, ids[1]!, { amount: '0.50' }).expect(201);
  };
  steps.push(
    () => some(own!, own),
    () => move(own!, 'linkBank', bank!),
    () => some(own!, bank),
    () => some(second!, undefined),
    () => move(second!, 'linkBank', bank!),
    () => some(second!, bank),
    () => move(own!, 'unlinkBank', bank!),
    () => some(own!, own),
    () => move(own!, 'linkBank', later!),
    () => some(own!, later),
    () => move(own!, 'unlinkBank', later!),
    () => move(own!, 'linkBank', bank!),
    () => some(own!, bank),
  );
  // Counts at other times than the links change, in batches that split days.
  for (const [place, step] of steps.entries()) {
    await step();
    if (place % 3 === 1) await countAll(service.database.admin, 4);
  }
  await countAll(service.database.admin, 4);

  const seen: number[] = [];
  for (const company of [own, second, bank, later, stranger]) {
    seen.push(await expectTotalsOfList(company!.test));
  }
  expect(seen).toEqual([15, 6, 15, 3, 0]);
});

test('a reset of the sandbox empties its totals', async () => {
  const company = await service.addCompany();
  await create(company, '10.00');
  await countAll(service.database.admin);
  expect((await readTotals(company.test, allDays)).total.contributions).toBe(1);
  await company.test.post('/company/integration/sandbox/reset', {}).expect(200);
  expect((await readTotals(company.test, allDays)).total.contributions).toBe(0);
});

test('a forgotten user stays in the totals', async () => {
  const company = await service.addCompany();
  await create(company, '10.00');
  await countAll(service.database.admin);
  await operate(service.database, ({ users }) =>
    users.forget({ company: company.name, kind: 'test' }, { userHash: 'a-user' }),
  );
  await expectTotalsOfList(company.test);
});

test.each([
  ['no dates', ''],
  ['no end', 'from=2026-01-01'],
  ['the end before the start', 'from=2026-01-02&to=2026-01-01'],
  ['an empty range', 'from=2026-01-01&to=2026-01-01'],
  ['more than 366 days', 'from=2025-01-01&to=2026-01-03'],
  ['a time', 'from=2026-01-01T00:00:00Z&to=2026-02-01'],
  ['an unknown group', 'from=2026-01-01&to=2026-02-01&by=user'],
  ['an unknown basis', 'from=2026-01-01&to=2026-02-01&basis=returned'],
  ['an unknown parameter', 'from=2026-01-01&to=2026-02-01&currency=USD'],
])('%s is rejected', async (_what, query) => {
  const company = await service.addCompany();
  const { body } = await company.test.get(`${contributions}/summary?${query}`).expect(400);
  expect(body).toMatchObject({ code: 'invalid_request' });
});

describe('counting', () => {
  const store = () =>
    createCountContributionsStore({
      run: async ({ text }, values) =>
        (await service.database.admin.query(text, [...values])).rows as never[],
    });
  const completeUntil = async (): Promise<number> => {
    const { rows } = await service.database.admin.query<{ at: Date }>(
      'SELECT complete_until AS at FROM contribution_totals_turn',
    );
    return Number(rows[0]?.at ?? -Infinity);
  };

  beforeEach(async () => {
    await relayAll(service.database.admin);
    await service.database.admin.query(`DELETE FROM contribution_totals_turn`);
  });

  test('leaves the events of the last five seconds for the next run', async () => {
    const { admin } = service.database;
    const company = await service.addCompany();
    await create(company, '10.00');
    await relayAll(admin);
    await store().addUp();
    expect((await readTotals(company.test, allDays)).total.contributions).toBe(0);
    await withoutTriggers(admin, [
      `UPDATE feed_events SET recorded_at = ${earlier('recorded_at', '6 seconds')}`,
    ]);
    await store().addUp();
    expect((await readTotals(company.test, allDays)).total.contributions).toBe(1);
    await store().addUp();
    expect((await readTotals(company.test, allDays)).total.contributions).toBe(1);
  });

  test('is complete until a minute before the oldest event that still waits', async () => {
    const { admin } = service.database;
    await countAll(admin);
    await store().addUp();
    const now = Date.now();
    expect(now - (await completeUntil())).toBeGreaterThan(65_000 - 1_000);
    expect(now - (await completeUntil())).toBeLessThan(75_000);

    await admin.query(`DELETE FROM contribution_totals_turn`);
    await create(await service.addCompany(), '1.00');
    await admin.query(`UPDATE event_queue SET queued_at = ${earlier('queued_at', '10 minutes')}`);
    await store().addUp();
    expect(now - (await completeUntil())).toBeGreaterThan(659_000);
    const company = await service.addCompany();
    const { complete_until: shown } = await readTotals(company.test, allDays);
    expect(Date.parse(shown!)).toBe(await completeUntil());
  });

  test('waits while a link starts or ends, and while another process counts', async () => {
    const { admin, adminUrl } = service.database;
    const other = new PostgresClient(sessionConfig({ connectionString: adminUrl }));
    await other.connect();
    await countAll(admin);
    for (const blocking of [
      'UPDATE bank_links SET unlinked_at = unlinked_at WHERE false',
      'SELECT pg_advisory_xact_lock(1179010376, 2)',
    ]) {
      await other.query(`BEGIN; ${blocking}`);
      await store().addUp();
      expect(await completeUntil()).toBe(-Infinity);
      await other.query('ROLLBACK');
    }
    await store().addUp();
    expect(await completeUntil()).toBeGreaterThan(0);
    await other.end();
  });
});
