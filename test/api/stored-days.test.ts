import fc from 'fast-check';

import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import { entryIdOf } from '../../src/features/bank-statements/days/line-outcomes';
import { termsOf } from '../../src/features/bank-statements/rules/days/reconciliation';
import { groupBy } from '../../src/shared/group-by';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { randomCases } from '../support/full-run';
import { addStatementAccount } from '../support/statement-accounts';
import { type Line, statementFile } from '../support/statement-files';
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

/** What the rules result in, without the database. */
function expectedOf(account: StatementDays, accountId: string) {
  const lines = account.lines();
  const replaced = account.replaced().map(({ line }) => ({ day: line.day, cents: line.cents }));
  const terms = groupBy(
    lines.flatMap((line) => [termsOf(line)]).filter(([own]) => own),
    ([own]) => own!.term,
  );
  return {
    versions: account.rows().map(({ day, version, openingCents, closingCents, changeCents, question }) => ({
      ...{ day, version, question },
      opening_cents: openingCents?.toString() ?? null,
      closing_cents: closingCents?.toString() ?? null,
      change_cents: changeCents.toString(),
    })),
    lines: lines
      .map(({ key, state, outcome, reason, line, chargesCents }) => ({
        ...{ id: entryIdOf(accountId, key), state, outcome, reason },
        ...{ cents: line.cents.toString(), charges: chargesCents.toString() },
      }))
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
    replaced: [...groupBy(replaced, ({ day, cents }) => `${day} ${String(cents).padStart(20, '0')}`)]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, same]) => ({ day: same[0]!.day, cents: same[0]!.cents.toString(), count: same.length })),
    money: ids
      .map((id) => ({ id, ...account.moneyOf(id) }))
      .map(({ id, paid, returned }) => ({ id, paid: paid.toString(), returned: returned.toString() }))
      .filter(({ paid, returned }) => paid !== '0' || returned !== '0')
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
    terms: [...terms]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([term, parts]) => ({
        term,
        cents: parts.reduce((sum, [own]) => sum + own!.cents, 0n).toString(),
        fees: parts.reduce((sum, [, fee]) => sum + (fee?.cents ?? 0n), 0n).toString(),
      })),
  };
}

async function newAccounts() {
  const memory = new StatementDays({ contributions });
  const account = await addStatementAccount(database.admin);
  const stored = new StoredDays(database.admin, pool, account, memory.known);
  return { memory, stored, accountId: account.accountId };
}

async function expectEqual(stored: StoredDays, memory: StatementDays, accountId: string): Promise<void> {
  const { money, ...seen } = await stored.seen();
  const { money: expectedMoney, ...expected } = expectedOf(memory, accountId);
  expect(seen).toEqual(expected);
  expect(money.map(({ id, paid, returned }) => ({ id, paid, returned }))).toEqual(expectedMoney);
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
    { numRuns: randomCases(150) },
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
    { numRuns: randomCases(100) },
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
