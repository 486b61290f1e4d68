import fc from 'fast-check';

import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import { createAccountDaysStore } from '../../src/features/bank-statements/days/account-days.store';
import { VersionsTooLarge } from '../../src/features/bank-statements/days/choose-in-thread';
import { statementChecks } from '../../src/features/bank-statements/bank-statements.checks';
import { statementRules } from '../../src/features/bank-statements/rules/statement-rules';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { isFullRun, takesAllRows } from '../support/full-run';
import { addStatementAccount } from '../support/statement-accounts';
import { type Line, statementFile } from '../support/statement-files';
import { expectEqual } from '../support/expected-days';
import { StatementDays } from '../support/statement-days';
import { StoredDays } from '../support/stored-days';
import {
  bankMonth,
  contributions,
  filesOf,
  ids,
  joinFiles,
  mapping,
} from '../unit/bank-statements/bank-months';

/** Each month has about ten files, so fewer of them than elsewhere. */
const cases = takesAllRows ? 150 : isFullRun ? 30 : 10;

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

async function newAccounts() {
  const memory = new StatementDays({ contributions });
  const account = await addStatementAccount(database.admin);
  const stored = new StoredDays(database.admin, pool, account, memory.known);
  return { memory, stored, accountId: account.accountId };
}

const optionsOf = (content: string) => (content.startsWith('Date') ? { mapping } : {});

test('months of banks have the same days, lines and money in the database, in any order with voids', async () => {
  await fc.assert(
    fc.asyncProperty(bankMonth, async (month) => {
      const files = filesOf(month);
      const { memory, stored, accountId } = await newAccounts();
      for (const content of files) memory.upload(content, optionsOf(content));
      const [order] = month.orders;
      const placed = (month.isJoined ? joinFiles(files) : files)
        .map((content, at) => ({ content, place: order[at % order.length]! + at / 1_000 }))
        .sort((one, other) => one.place - other.place);
      for (const [at, { content }] of placed.entries()) {
        const fileId = await stored.upload(content, optionsOf(content));
        if (at % 3 === 0) await stored.work(at % 2 === 0);
        if (at % 4 !== 1) continue;
        await stored.work();
        await stored.void(fileId);
        if (at % 8 === 1) await stored.work(true);
        await stored.upload(content, optionsOf(content));
      }
      await stored.work();
      await expectEqual(stored, memory, accountId);
    }),
    { numRuns: cases },
  );
});

/** A pool of a process that is killed before it sends its nth statement. */
function killedPool(statements: number): Database {
  let left = statements;
  return {
    ...pool,
    run: (...given) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('killed')) : pool.run(...given);
    },
  };
}

/** Ends the claims of days, in their order: a process that has one loses it. */
const endClaims = ({ account }: StoredDays) =>
  database.admin.query(
    `WITH locked AS (SELECT day FROM account_days WHERE environment_id = $1 ORDER BY day FOR NO KEY UPDATE)
     UPDATE account_days d SET claimed_until = '-infinity' FROM locked l
      WHERE d.environment_id = $1 AND d.day = l.day`,
    [account.environmentId],
  );

/** Works like a process that is killed after some statements. */
async function workUntilKilled(stored: StoredDays, statements: number): Promise<void> {
  const { admin, account, known } = stored;
  const killed = new StoredDays(admin, killedPool(statements), account, known);
  await killed.work().catch((error: unknown) => {
    expect(String(error)).toBe('Error: killed');
  });
  await endClaims(stored);
}

const history = fc.record({
  month: bankMonth,
  kills: fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 12 }),
});

test('processes that are killed or lose their claims, and work side by side, have the result of a quiet run', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ month, kills }) => {
      const files = filesOf(month);
      const { memory, stored, accountId } = await newAccounts();
      const kept = files.filter((_, at) => at % 4 !== 1);
      for (const content of kept) memory.upload(content, optionsOf(content));
      const voided: string[] = [];
      for (const [at, content] of files.entries()) {
        const fileId = await stored.upload(content, optionsOf(content));
        if (at % 4 === 1) voided.push(fileId);
        if (at % 2 === 0) await workUntilKilled(stored, kills[at % kills.length]!);
      }
      const lose = async (): Promise<void> => {
        for (const fileId of voided) {
          await endClaims(stored);
          await stored.void(fileId);
        }
      };
      await Promise.all([stored.work(), stored.work(true), lose(), workUntilKilled(stored, kills[0]! * 3)]);
      await stored.work();
      await expectEqual(stored, memory, accountId);
    }),
    { numRuns: cases },
  );
});

const numbered = (sequence: number, day: string, openingCents: bigint, lines: readonly Line[]): string =>
  statementFile(lines, { sequence, from: day, openingCents });

test('a moved line counts as soon as the balances before its day follow', async () => {
  const { memory, stored, accountId } = await newAccounts();
  const payment = { cents: 25_50n, id: ids[0]!, reference: 'REF-1', date: '2026-11-17' };
  const files = [
    numbered(7, '2026-11-17', 0n, [payment]),
    numbered(9, '2026-11-19', 30_00n, [payment]),
    numbered(8, '2026-11-18', 25_50n, [{ cents: 4_50n, text: 'other', date: '2026-11-18' }]),
  ];
  const paid: string[] = [];
  for (const content of files) {
    memory.upload(content);
    await stored.upload(content);
    await stored.work();
    await expectEqual(stored, memory, accountId);
    paid.push((await stored.seen()).money[0]!.paid);
  }
  expect(paid).toEqual(['2550', '2550', '5100']);
});

test('a completion, list or return queues the lines that name it, and no others', async () => {
  const { stored } = await newAccounts();
  const line = { cents: 99_00n, date: '2026-11-17' };
  await stored.upload(
    statementFile([{ ...line, reference: 'BANK-REF-1' }, line], { from: '2026-11-17', openingCents: 0n }),
  );
  await stored.work();
  const outcomes = async () => (await stored.seen()).lines.map(({ outcome }) => outcome).sort();
  expect(await outcomes()).toEqual(['unknown', 'unknown']);
  await stored.queue(['OTHER-REF']);
  expect(await stored.daysWithWork()).toEqual([]);
  stored.known.settlements = new Map([['BANK-REF-1', [[{ ...contributions[0]!, amountCents: 99_00n }]]]]);
  await stored.queue(['BANK-REF-1', 'OTHER-REF']);
  expect(await stored.daysWithWork()).toEqual(['2026-11-17']);
  await stored.work();
  expect(await outcomes()).toEqual(['matched', 'unknown']);
  expect((await stored.seen()).money).toMatchObject([{ id: ids[0], paid: '9900' }]);
});

const closeMonth = ({ admin, account }: StoredDays) =>
  admin.query(
    `INSERT INTO closed_months (environment_id, month, closed_by) VALUES ($1, '2026-11-01', 'an accountant')`,
    [account.environmentId],
  );
const noticesOf = async ({ admin, account }: StoredDays): Promise<unknown[]> => {
  const { rows } = await admin.query<object>(
    `SELECT day::text, version_before, version_after, lines_gone AS gone, lines_added AS added FROM version_changes
      WHERE environment_id = $1 ORDER BY generation`,
    [account.environmentId],
  );
  return rows;
};
const eventsOf = async ({ admin, account }: StoredDays): Promise<unknown[]> => {
  const { rows } = await admin.query<{ data: unknown }>(
    `SELECT v.data FROM environment_events v JOIN event_queue q USING (environment_id, event_id)
      WHERE v.environment_id = $1 AND v.type = 'statement_day.changed'`,
    [account.environmentId],
  );
  return rows.map(({ data }) => data);
};
const payment = (cents: bigint, at: number) => ({ cents, id: ids[at]!, date: '2026-11-17' });
const version = (madeAt: string, lines: readonly Line[]): string =>
  statementFile(lines, { sequence: 7, from: '2026-11-17', openingCents: 0n, madeAt });

test('a version that replaces another one with other lines is announced, and its repetition is not', async () => {
  const { stored } = await newAccounts();
  const first = version('2026-11-18T01:00:00', [payment(25_50n, 0)]);
  await stored.upload(first);
  await stored.work();
  const [before] = (await stored.seen()).versions;
  await stored.upload(first);
  await stored.work();
  expect([await noticesOf(stored), await eventsOf(stored)]).toEqual([[], []]);
  await stored.upload(version('2026-11-19T01:00:00', [payment(25_00n, 0), payment(10_00n, 2)]));
  await stored.work();
  const [after] = (await stored.seen()).versions;
  expect(await noticesOf(stored)).toEqual([
    { day: '2026-11-17', version_before: before!.version, version_after: after!.version, gone: 1, added: 2 },
  ]);
  const { accountId } = stored.account;
  expect(await eventsOf(stored)).toEqual([
    { account_id: accountId, day: '2026-11-17', lines_gone: 1, lines_added: 2 },
  ]);
});

test('a later part of the day adds lines without an announcement', async () => {
  const { stored } = await newAccounts();
  await stored.upload(numbered(7, '2026-11-17', 0n, [payment(25_50n, 0)]));
  await stored.work();
  await stored.upload(numbered(8, '2026-11-17', 25_50n, [payment(10_00n, 2)]));
  await stored.work();
  expect((await stored.seen()).versions[0]).toMatchObject({ closing_cents: '3550' });
  expect(await noticesOf(stored)).toEqual([]);
});

test('a closed month keeps its versions and asks, also about a day that had none', async () => {
  const { stored } = await newAccounts();
  await stored.upload(version('2026-11-18T01:00:00', [payment(25_50n, 0)]));
  await stored.work();
  const { lines, money, terms, versions } = await stored.seen();
  await closeMonth(stored);
  // The same lines again, another version, and a day without a version.
  await stored.upload(version('2026-11-18T02:00:00', [payment(25_50n, 0)]));
  await stored.upload(version('2026-11-19T01:00:00', [payment(25_00n, 0)]));
  await stored.upload(numbered(8, '2026-11-18', 25_50n, [{ ...payment(25_50n, 1), date: '2026-11-18' }]));
  // An empty statement would add balances.
  await stored.upload(numbered(9, '2026-11-19', 51_00n, []));
  await stored.work();
  const now = await stored.seen();
  const kept = now.lines.filter(({ state }) => state === 'counted');
  expect([kept, now.money, now.terms]).toEqual([lines, money, terms]);
  expect(now.lines.filter(({ state }) => state === 'proposed')).toMatchObject([
    { reason: 'in_other_version' },
  ]);
  expect(now.versions).toEqual([
    {
      ...versions[0],
      question: { kind: 'changed_after_close', versions: [expect.any(String), versions[0]!.version] },
    },
  ]);
  const { rows } = await stored.admin.query(
    `SELECT day::text, question ->> 'kind' AS kind FROM account_days
      WHERE environment_id = $1 AND version IS NULL ORDER BY day`,
    [stored.account.environmentId],
  );
  expect(rows).toEqual([
    { day: '2026-11-18', kind: 'changed_after_close' },
    { day: '2026-11-19', kind: 'changed_after_close' },
  ]);
});

test('days that earlier rules compared are compared again, and those of later rules are left alone', async () => {
  const { stored } = await newAccounts();
  await stored.upload(version('2026-11-18T01:00:00', [payment(25_50n, 0)]));
  const day = { ...stored.account, day: '2026-11-17' };
  const [earlier, later] = [createAccountDaysStore(pool), createAccountDaysStore(pool, statementRules + 1)];
  const listed = async (store: typeof earlier) =>
    (await store.withWork(10_000)).filter((one) => one.accountId === day.accountId).length;
  await stored.work();
  expect([await listed(earlier), await listed(later)]).toEqual([0, 0]);
  await later.queueOutdated(10_000);
  expect([await listed(earlier), await listed(later)]).toEqual([1, 1]);
  expect(await later.choose((await later.claim(day))!, undefined)).toBe(true);
  await endClaims(stored);
  expect([await listed(earlier), await listed(later)]).toEqual([0, 1]);
  expect(await earlier.claim(day)).toBeUndefined();
});

test('of 1,200 equal lines, each has its own decision, and their money adds up', async () => {
  const { stored } = await newAccounts();
  const line = { ...payment(25_50n, 0), reference: 'SAME-REF' };
  await stored.upload(
    version(
      '2026-11-18T01:00:00',
      Array.from({ length: 1_200 }, () => line),
    ),
  );
  await stored.work();
  const { lines, money } = await stored.seen();
  expect(new Set(lines.map(({ id }) => id)).size).toBe(1_200);
  expect(money).toMatchObject([{ id: ids[0], paid: String(1_200 * 25_50) }]);
  // One line of each bucket is ignored.
  await stored.admin.query(
    `INSERT INTO line_decisions
       (environment_id, account_id, number, decision_id, entry_id, day, direction, amount_cents, reference, digest,
        content, occurrence, money_hash, can_move, action, reason, decided_by)
     SELECT o.environment_id, o.account_id, row_number() OVER (ORDER BY o.occurrence), gen_random_uuid(), o.entry_id,
            o.day, o.direction, o.amount_cents, o.reference, o.digest, o.content, o.occurrence,
            l.money_hash, false, 'ignore', 'twice', 'k'
       FROM line_outcomes o
       JOIN statement_lines l ON l.environment_id = o.environment_id AND l.statement_id = o.statement_id AND l.number = o.number
      WHERE o.environment_id = $1 AND o.occurrence % 100000 = 7`,
    [stored.account.environmentId],
  );
  await stored.admin.query(
    `UPDATE account_days SET waiting = repeat('1', 1024)::bit(1024) WHERE environment_id = $1`,
    [stored.account.environmentId],
  );
  await stored.work();
  const decided = await stored.seen();
  expect(decided.lines.filter(({ outcome }) => outcome === 'ignored')).toHaveLength(48);
  expect(decided.money).toMatchObject([{ paid: String(1_152 * 25_50) }]);
});

test('verify finds nothing in the months of the tests before', async () => {
  const { rows } = await database.admin.query<{ id: number }>(
    'SELECT DISTINCT environment_id AS id FROM account_days WHERE version IS NOT NULL',
  );
  expect(rows.length).toBeGreaterThan(cases);
  // The others need contributions and closings, which these tests do not store.
  const names = ['statement-lines-judged', 'account-days-agree', 'contribution-money-agrees'];
  for (const { name, text } of statementChecks.filter((one) => names.includes(one.name))) {
    for (const { id } of rows) {
      const found = await database.admin.query<{ problem: string }>(text, [id]);
      const problems = found.rows.filter(({ problem }) => problem !== '');
      expect([name, problems]).toEqual([name, []]);
    }
  }
});

test('the version of a day queues the next day with a version, and no days that have none yet', async () => {
  const { stored } = await newAccounts();
  const waitingDays = async () => {
    const { rows } = await database.admin.query<{ day: string }>(
      `SELECT day::text FROM account_days WHERE environment_id = $1 AND waiting <> repeat('0', 1024)::bit(1024) ORDER BY day`,
      [stored.account.environmentId],
    );
    return rows.map(({ day }) => day);
  };
  await stored.upload(statementFile([], { from: '2026-11-16', to: '2026-11-20' }));
  await stored.compare('2026-11-18');
  expect(await waitingDays()).toEqual([]);
  await stored.compare('2026-11-16');
  expect(await waitingDays()).toEqual(['2026-11-17', '2026-11-18']);
});

test('a day with more than 200 different statements is not compared', async () => {
  const { stored } = await newAccounts();
  for (let at = 0; at < 200; at += 1)
    await stored.upload(statementFile([], { from: '2026-11-20', openingCents: BigInt(at) }));
  await stored.compare('2026-11-20');
  const { versions } = await stored.seen();
  expect(versions).toMatchObject([{ question: { kind: 'two_versions' } }]);
  await stored.upload(statementFile([], { from: '2026-11-20', openingCents: -1n }));
  await expect(stored.compare('2026-11-20')).rejects.toThrow(VersionsTooLarge);
});

test('a day whose statements repeat too many equal lines is not compared until some are voided', async () => {
  const { stored } = await newAccounts();
  const equal = Array.from({ length: 25 }, () => ({ cents: 10_00n, text: 'equal' }));
  const file = (at: number): string =>
    statementFile(equal, { from: '2026-11-20', openingCents: BigInt(at * 1_000_00) });
  for (let at = 0; at < 100; at += 1) await stored.upload(file(at));
  await stored.compare('2026-11-20');
  const last = await stored.upload(file(100));
  await expect(stored.compare('2026-11-20')).rejects.toThrow(VersionsTooLarge);
  await stored.void(last);
  await endClaims(stored);
  await stored.compare('2026-11-20');
});

test('a batch entry with more parts than a bucket may have lines is compared again, and leaves', async () => {
  const { stored } = await newAccounts();
  const parts = Array.from({ length: 2_600 }, () => ({ cents: 1_00n, text: 'part' }));
  const entry = { cents: 2_600_00n, reference: 'BATCH-1' };
  const files = [
    await stored.upload(statementFile([entry], { from: '2026-11-20' })),
    await stored.upload(statementFile([{ ...entry, parts }], { kind: '054', from: '2026-11-20' })),
  ];
  await stored.work();
  const lines = async (): Promise<number> => (await stored.seen()).lines.length;
  expect(await lines()).toBeGreaterThan(2_500);
  for (const file of files) await stored.void(file);
  await stored.work();
  expect(await lines()).toBe(0);
});
