import fc from 'fast-check';

import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import type { KnownContribution } from '../../src/features/bank-statements/contributions/match-entry';
import { createMonthsStore } from '../../src/features/bank-statements/months/months.store';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createDecidedAccount, type DecidedAccount } from '../support/deciding';
import { type Line, statementFile } from '../support/statement-files';
import { isFullRun, takesAllRows } from '../support/full-run';
import { bankMonth, filesOf, ids, mapping } from '../unit/bank-statements/bank-months';

let database: TestDatabase;
let pool: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createOperatorDatabase(database.url);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

const [last, first] = ['2026-11-30', '2026-12-01'];
const [one = '', two = ''] = ids;
const gift: Line = { cents: 25_50n, id: one, reference: 'REF-0001', date: last };
const rent: Line = { cents: 7_00n, text: 'rent', reference: 'REF-0002', date: last };
const november = (lines: readonly Line[]): string =>
  statementFile(lines, { from: '2026-11-27', to: last, openingCents: 100_00n });
const december = (lines: readonly Line[]): string =>
  statementFile(
    lines.map((line) => ({ ...line, date: first })),
    { from: first, openingCents: 200_00n },
  );
const notice = (lines: readonly Line[], from = last): string =>
  statementFile(
    lines.map((line) => ({ ...line, date: from })),
    { kind: '054', from },
  );

async function upload(account: DecidedAccount, ...files: string[]): Promise<string> {
  let id = '';
  for (const file of files) id = await account.stored.upload(file);
  await account.stored.work();
  return id;
}

async function remove(account: DecidedAccount, file: string): Promise<void> {
  expect(await account.stored.void(file)).toBe(1);
  await account.stored.work();
}

/** Closes November, although days before its statements are missing. */
async function close({ environmentId, months }: DecidedAccount): Promise<void> {
  const { seen: days } = await months.canClose(environmentId, '2026-11');
  const given = { reason: 'r', closedBy: 'k', seen: days };
  expect(await createMonthsStore(pool).close(environmentId, '2026-11-01', given)).toBe('closed');
}

async function reopen(account: DecidedAccount): Promise<void> {
  await account.months.reopen(account.principal, '2026-11', { reason: 'r' });
  await account.stored.work();
}

/** The lines of November, of December, and the money of contributions. */
async function seen({ environmentId, stored }: DecidedAccount) {
  const { rows } = await database.admin.query<{ day: string; line: string }>(
    `SELECT day::text, concat_ws(' ', entry_id, amount_cents, state, outcome, reason, is_decided) AS line
       FROM line_outcomes WHERE environment_id = $1 AND entry_id IS NOT NULL ORDER BY day, line`,
    [environmentId],
  );
  const of = (month: string) => rows.filter(({ day }) => day.startsWith(month)).map(({ line }) => line);
  return { november: of('2026-11'), december: of('2026-12'), money: (await stored.seen()).money };
}

/** Compares all lines again, as a bank link or a new release does. */
async function compareAgain(account: DecidedAccount): Promise<void> {
  await database.admin.query('SELECT mark_all_days($1)', [account.environmentId]);
  await account.stored.work();
}

const newAccount = () => createDecidedAccount(database.admin, pool);

test.each(['open', 'closed'])('a decision does not move into another month that is %s', async (state) => {
  const account = await newAccount();
  const file = await upload(account, december([rent]));
  const [entryId = ''] = await account.linesOf(7_00n, first);
  await account.decide(entryId, 'ignore');
  await upload(account, november([rent]));
  if (state === 'closed') await close(account);
  const before = await seen(account);
  await remove(account, file);
  expect((await seen(account)).november).toEqual(before.november);
  const { reasons } = await account.months.canClose(account.environmentId, '2026-12');
  expect(reasons.map(({ kind }) => kind)).toContain('decision_without_line');
});

describe('a batch entry of a closed month', () => {
  const batch: Line = { cents: 30_00n, reference: 'BATCH-1', text: 'collection', date: last };
  const parts: Line[] = [
    { ...gift, cents: 25_50n },
    { cents: 4_50n, id: two, date: last },
  ];

  test('gets no parts from a later notification', async () => {
    const account = await newAccount();
    await upload(account, november([batch]));
    await close(account);
    const before = await seen(account);
    await upload(account, notice([{ ...batch, parts }], first));
    expect(await seen(account)).toMatchObject({ november: before.november, money: before.money });
    await reopen(account);
    expect((await seen(account)).money).toHaveLength(2);
  });

  test('keeps its parts when their notification is voided', async () => {
    const account = await newAccount();
    const file = await upload(account, november([batch]), notice([{ ...batch, parts }], first));
    await close(account);
    const before = await seen(account);
    expect(before.money).toHaveLength(2);
    await compareAgain(account);
    expect(await seen(account)).toEqual(before);
    await remove(account, file);
    expect(await seen(account)).toMatchObject({ november: before.november, money: before.money });
    await reopen(account);
    expect((await seen(account)).money).toEqual([]);
  });
});

describe('a payment that a notification reports in a closed month', () => {
  test('counts there, and the statement of the next month asks', async () => {
    const account = await newAccount();
    await upload(account, notice([gift]));
    await close(account);
    const before = await seen(account);
    await upload(account, december([gift]));
    const after = await seen(account);
    expect(after).toMatchObject({ november: before.november, money: before.money });
    expect(after.december).toMatchObject([expect.stringContaining('proposed proposed in_closed_month')]);
    const { reasons } = await account.months.canClose(account.environmentId, '2026-12');
    expect(reasons.map(({ kind }) => kind)).toContain('lines_to_decide');
    await reopen(account);
    const reopened = await seen(account);
    expect(reopened.money).toEqual(before.money);
    expect([reopened.november, reopened.december]).toMatchObject([
      [],
      [expect.stringContaining('counted matched')],
    ]);
  });

  test('is another payment if a person links the line of the next month', async () => {
    const account = await newAccount();
    await upload(account, notice([gift]));
    await close(account);
    await upload(account, december([gift]));
    const [entryId = ''] = await account.linesOf(25_50n, first);
    await account.decide(entryId, 'link', [[one, 25_50n]]);
    expect((await seen(account)).money).toMatchObject([{ id: one, paid: '5100' }]);
  });

  test('is asked about in a better format, and as parts of a batch', async () => {
    const account = await newAccount();
    const batch: Line = { cents: 30_00n, reference: 'BATCH-1', date: last };
    const parts: Line[] = [
      { cents: 25_50n, id: one },
      { cents: 4_50n, id: two },
    ];
    await upload(account, notice([{ ...batch, parts }]));
    await close(account);
    const before = await seen(account);
    expect(before.money).toHaveLength(2);
    await upload(account, december([batch]));
    const after = await seen(account);
    expect(after).toMatchObject({ november: before.november, money: before.money });
    expect(after.december).toMatchObject([expect.stringContaining('in_closed_month')]);
  });
});

test('closing a month compares the lines of the days around it', async () => {
  const account = await newAccount();
  const bare = (date: string, to: string): string =>
    statementFile([{ ...gift, date }], { from: date, to }).replace(/<Bal>.*?<\/Bal>/g, '');
  await upload(account, bare(last, last), bare('2026-12-02', '2026-12-10'));
  expect((await seen(account)).money).toMatchObject([{ id: one, paid: '5100' }]);
  await close(account);
  await account.stored.work();
  const after = await seen(account);
  expect(after.money).toMatchObject([{ id: one, paid: '2550' }]);
  await compareAgain(account);
  expect(await seen(account)).toEqual(after);
});

test('a notification that comes after the closing adds no money, and takes none from the next month', async () => {
  const account = await newAccount();
  await upload(account, notice([rent]));
  await close(account);
  await upload(account, notice([gift], first));
  const before = await seen(account);
  expect(before.money).toMatchObject([{ id: one, paid: '2550' }]);
  await upload(
    account,
    statementFile([gift, { ...gift, id: two, reference: 'R-9' }], { kind: '052', from: last }),
  );
  const after = await seen(account);
  expect(after).toMatchObject({ december: before.december, money: before.money });
  expect(after.november.filter((line) => !line.includes('proposed unknown in_other_version')).length).toBe(
    before.november.length + 2,
  );
  await compareAgain(account);
  expect(await seen(account)).toEqual(after);
});

test('a line of a closed month is matched by a later completion', async () => {
  const account = await newAccount();
  const known = account.stored.known.contributions as Map<string, KnownContribution>;
  const contribution = known.get(one)!;
  known.delete(one);
  await upload(account, november([gift, rent]));
  const [entryId = ''] = await account.linesOf(7_00n, last);
  await account.decide(entryId, 'ignore');
  await close(account);
  const before = await seen(account);
  expect(before.money).toEqual([]);
  known.set(one, contribution);
  await account.stored.queue([one]);
  await account.stored.work();
  const after = await seen(account);
  expect(after.money).toMatchObject([{ id: one, paid: '2550' }]);
  expect(after.november.filter((line) => line.includes('ignored'))).toEqual(
    before.november.filter((line) => line.includes('ignored')),
  );
});

test('a closed month keeps its version when the same lines come again', async () => {
  const account = await newAccount();
  await upload(account, november([gift, rent]));
  await close(account);
  const before = [await seen(account), await account.days()];
  await upload(
    account,
    statementFile([gift, rent], { from: '2026-11-27', to: last, openingCents: 100_00n, sequence: 4 }),
  );
  expect([await seen(account), await account.days()]).toEqual(before);
});

/** Days of a bank month, moved so that two of them are in each of two months. */
const moved = { 17: '11-29', 18: '11-30', 19: '12-01', 20: '12-02', 21: '12-03' };
const moveDays = (content: string): string =>
  Object.entries(moved).reduce(
    (text, [from, to]) =>
      text.replaceAll(`2026-11-${from}`, `2026-${to}`).replaceAll(`2611${from}`, `26${to.replace('-', '')}`),
    content,
  );

const send = ({ stored }: DecidedAccount, content: string): Promise<string> =>
  stored.upload(content, content.startsWith('Date') ? { mapping } : {});

/** What is seen of an account, without the ids of its lines. */
async function withoutIds(account: DecidedAccount) {
  const { november: ofNovember, december: ofDecember, money } = await seen(account);
  const lines = [...ofNovember, ...ofDecember].map((line) => line.slice(line.indexOf(' '))).sort();
  return { lines, money, days: (await account.days()).map(({ day, version }) => ({ day, version })) };
}

test('whatever a bank sends after a month was closed, its lines stay until it is reopened', async () => {
  await fc.assert(
    fc.asyncProperty(bankMonth, fc.nat(), async (month, at) => {
      const files = filesOf(month).map(moveDays);
      const account = await newAccount();
      const count = at % (files.length + 1);
      for (const content of files.slice(0, count)) await send(account, content);
      await account.stored.work();
      await database.admin.query(
        `INSERT INTO closed_months (environment_id, month, closed_by) VALUES ($1, '2026-11-01', 'k')`,
        [account.environmentId],
      );
      const counted = async () => (await seen(account)).november.filter((line) => line.includes(' counted '));
      const before = await counted();
      const later: { content: string; id: string }[] = [];
      for (const content of files.slice(count)) later.push({ content, id: await send(account, content) });
      await account.stored.work();
      expect(await counted()).toEqual(before);
      const voided = new Set<string>();
      for (const { content, id } of later.slice(0, 3))
        if ((await account.stored.void(id)) !== 'month_closed') voided.add(content);
      await compareAgain(account);
      expect(await counted()).toEqual(before);
      await database.admin.query(
        `INSERT INTO month_changes (environment_id, month, number, kind, numbers, reason, changed_by)
         VALUES ($1, '2026-11-01', 1, 'closed', '{}', 'r', 'k')`,
        [account.environmentId],
      );
      await reopen(account);
      const fresh = await newAccount();
      for (const content of files) if (!voided.has(content)) await send(fresh, content);
      await fresh.stored.work();
      expect(await withoutIds(account)).toEqual(await withoutIds(fresh));
    }),
    { numRuns: takesAllRows ? 60 : isFullRun ? 15 : 4 },
  );
}, 300_000);
