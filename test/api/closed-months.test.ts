import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import { createMonthsStore } from '../../src/features/bank-statements/months/months.store';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createDecidedAccount, type DecidedAccount } from '../support/deciding';
import { type Line, statementFile } from '../support/statement-files';
import { ids } from '../unit/bank-statements/bank-months';

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

const month = '2026-11';
const [id = ''] = ids;
const gift: Line = { cents: 25_50n, id, reference: 'REF-0001', date: '2026-11-20' };
const fee: Line = { cents: 3_00n, direction: 'debit', subFamily: 'CHRG', date: '2026-11-24' };
const rent: Line = {
  cents: 7_00n,
  direction: 'debit',
  text: 'rent',
  reference: 'REF-0003',
  date: '2026-11-25',
};
const november = { from: '2026-11-01', to: '2026-11-30', openingCents: 100_00n };

const work = ({ stored }: DecidedAccount) => stored.work();
async function whole(lines: readonly Line[] = [gift, fee, rent]): Promise<DecidedAccount> {
  const account = await createDecidedAccount(database.admin, pool);
  await account.stored.upload(statementFile(lines, november));
  await work(account);
  return account;
}

const kinds = async ({ months, environmentId }: DecidedAccount, without: string[] = []) =>
  (await months.canClose(environmentId, month, without)).reasons.map(
    ({ kind, from, to }) => `${kind} ${from} ${to}`,
  );
const toExplain = async ({ months, environmentId }: DecidedAccount) =>
  (await months.canClose(environmentId, month)).linesToExplain;
const close = ({ months, principal }: DecidedAccount, without: string[] = []) =>
  months.close(principal, month, { reason: 'all is booked', without });
const reopen = ({ months, principal }: DecidedAccount) =>
  months.reopen(principal, month, { reason: 'the bank corrected it' });

test('a whole month is closed with its numbers, which stay beside those of now', async () => {
  const account = await whole();
  expect(await kinds(account)).toEqual([]);
  expect(await close(account)).toEqual({ outcome: 'closed' });
  expect(await close(account)).toEqual({ outcome: 'already_closed' });
  const numbers = {
    ...{ opening: '10000', matched: '2550', returned: '0', charges: '-300', ignored: '0' },
    ...{ unexplained: '-700', closing: '11550' },
  };
  const shown = await account.months.show(account.environmentId, month);
  expect(shown).toMatchObject({
    isClosed: true,
    numbers: { [account.accountId]: numbers },
    changes: [
      {
        ...{ number: 1, kind: 'closed', reason: 'all is booked', changed_by: 'cpk_test_accountant' },
        numbers: { [account.accountId]: numbers },
      },
    ],
  });
  expect(await reopen(account)).toBe('reopened');
  expect(await reopen(account)).toBe('already_open');
  await work(account);
  const [entryId = ''] = await account.linesOf(7_00n, '2026-11-25');
  expect((await account.decide(entryId, 'ignore')).outcome).toBe('decided');
  await work(account);
  const again = await account.months.show(account.environmentId, month);
  expect(again).toMatchObject({
    isClosed: false,
    numbers: { [account.accountId]: { ignored: '-700', unexplained: '0' } },
    changes: [
      { number: 2, kind: 'reopened' },
      { number: 1, kind: 'closed' },
    ],
  });
});

test('a month can be closed although lines are not explained, and says how many', async () => {
  const account = await whole();
  expect([await kinds(account), await toExplain(account)]).toEqual([[], 1]);
  const [entryId = ''] = await account.linesOf(7_00n, '2026-11-25');
  await account.decide(entryId, 'ignore');
  await work(account);
  expect(await toExplain(account)).toBe(0);
});

test('a month with a fee and a return adds up in its terms', async () => {
  const back: Line = { ...gift, direction: 'debit', cents: 26_00n, chargesCents: 50n, returnCode: 'AC04' };
  const account = await whole([gift, { ...back, date: '2026-11-23' }]);
  const { numbers } = await account.months.show(account.environmentId, month);
  const { opening, closing, ...terms } = numbers[account.accountId]!;
  const sum = Object.values(terms).reduce((total, cents) => total + BigInt(cents), BigInt(opening ?? 0));
  expect(sum).toBe(BigInt(closing ?? 0));
});

describe('a month cannot be closed', () => {
  test('before it is over', async () => {
    const account = await createDecidedAccount(database.admin, pool);
    const reasons = (await account.months.canClose(account.environmentId, '2026-12')).reasons;
    expect(reasons).toEqual([
      { accountId: null, kind: 'month_not_over', from: '2026-12-01', to: '2026-12-31' },
    ]);
  });

  test('with work, failed days, questions, and lines to decide about', async () => {
    const account = await whole();
    const { environmentId, accountId } = account;
    await account.stored.dependencies.days.mark(environmentId, accountId, ['2026-11-20'], '1'.repeat(1_024));
    expect(await kinds(account)).toEqual(['has_work 2026-11-20 2026-11-20']);
    await database.admin.query(
      `UPDATE account_days SET failures = 3, failure = 'timeout' WHERE environment_id = $1 AND day = '2026-11-20'`,
      [environmentId],
    );
    expect(await kinds(account)).toEqual(['failed 2026-11-20 2026-11-20']);
    await work(account);
    await account.stored.upload(
      statementFile([{ ...gift, id: 'K7Q2' }], {
        from: '2026-11-20',
        openingCents: 100_00n,
        closingCents: 1n,
      }),
    );
    await account.stored.upload(statementFile([gift, fee, { ...rent, cents: 8_00n }], november));
    await work(account);
    expect(await kinds(account)).toEqual([
      'two_versions 2026-11-25 2026-11-25',
      'lines_to_decide 2026-11-25 2026-11-25',
    ]);
    expect(await toExplain(account)).toBe(0);
  });

  test('with a gap, with missing days, or without statements of an account', async () => {
    const account = await createDecidedAccount(database.admin, pool);
    await account.stored.upload(statementFile([], { from: '2026-10-30', openingCents: 0n }));
    await work(account);
    expect(await kinds(account)).toEqual(['no_statements 2026-11-01 2026-11-30']);
    expect(await kinds(account, [account.accountId])).toEqual([]);
    await account.stored.upload(
      statementFile([], { from: '2026-11-03', to: '2026-11-20', openingCents: 1n }),
    );
    await work(account);
    // 26 November is a holiday.
    expect(await kinds(account)).toEqual([
      ...['days_missing 2026-11-02 2026-11-02', 'days_missing 2026-11-23 2026-11-25'],
      ...['days_missing 2026-11-27 2026-11-27', 'days_missing 2026-11-30 2026-11-30'],
    ]);
    expect(await close(account)).toMatchObject({ outcome: 'not_ready' });
  });

  test('with a gap before its first statement', async () => {
    const account = await createDecidedAccount(database.admin, pool);
    await account.stored.upload(statementFile([], { from: '2026-10-28', openingCents: 0n }));
    await account.stored.upload(
      statementFile([], { from: '2026-11-02', to: '2026-11-30', openingCents: 0n }),
    );
    await work(account);
    expect(await kinds(account)).toEqual(['days_missing 2026-11-02 2026-11-02']);
  });

  test('with a decision whose line is gone', async () => {
    const account = await createDecidedAccount(database.admin, pool);
    const file = await account.stored.upload(statementFile([gift, rent], november));
    await work(account);
    const [entryId = ''] = await account.linesOf(7_00n, '2026-11-25');
    await account.decide(entryId, 'ignore');
    await account.stored.void(file);
    await account.stored.upload(statementFile([gift], november));
    await work(account);
    expect(await kinds(account)).toEqual(['decision_without_line 2026-11-25 2026-11-25']);
  });
});

test('an account that starts within the month is covered from its first day', async () => {
  const account = await createDecidedAccount(database.admin, pool);
  const sequences = ['2026-11-27', '2026-11-30'];
  for (const [at, from] of sequences.entries())
    await account.stored.upload(statementFile([], { from, sequence: 37 + at }));
  await work(account);
  expect(await kinds(account)).toEqual([]);
});

test('in a closed month, decisions and answers are refused, and a new version is a question', async () => {
  const account = await whole();
  const [entryId = ''] = await account.linesOf(7_00n, '2026-11-25');
  await account.decide(entryId, 'ignore');
  await work(account);
  await close(account);
  const before = await account.months.show(account.environmentId, month);
  expect((await account.decide(entryId, 'unlink')).outcome).toBe('month_closed');
  expect((await account.decide(entryId, 'undo')).outcome).toBe('month_closed');
  // A repeat of what was decided before is no new decision.
  expect((await account.decide(entryId, 'ignore')).outcome).toBe('same');
  await account.stored.upload(statementFile([gift, fee, { ...rent, cents: 8_00n }], november));
  await work(account);
  const { question } = (await account.days()).find((one) => one.day === '2026-11-25')!;
  expect(question?.kind).toBe('changed_after_close');
  const answer = { kind: 'all_lines' as const, among: question?.versions ?? [], reason: 'r' };
  const asked = { accountId: account.accountId, day: '2026-11-25' };
  expect(await account.answers.answer(account.principal, asked, answer)).toBe('month_closed');
  // A rule that comes after the closing leaves the month alone.
  const rule = { direction: 'debit' as const, code: 'CHRG', outcome: 'ignore' as const, reason: 'r' };
  expect(await account.rules.set(account.environmentId, account.accountId, 'k', rule)).toBe('set');
  expect(await account.stored.daysWithWork()).toEqual([]);
  expect((await account.months.show(account.environmentId, month)).numbers).toEqual(before.numbers);
  await reopen(account);
  await work(account);
  const after = (await account.days()).find((one) => one.day === '2026-11-25')!;
  expect(after.question?.kind).toBe('two_versions');
});

test('a file is voided before its month closes or stays', async () => {
  for (let turn = 0; turn < 4; turn += 1) {
    const account = await createDecidedAccount(database.admin, pool);
    const file = await account.stored.upload(statementFile([gift], november));
    await work(account);
    const [closed, voided] = await Promise.all([close(account), account.stored.void(file)]);
    expect([closed.outcome, voided]).toEqual(
      voided === 1
        ? [expect.stringMatching(/changed_meanwhile|not_ready/), voided]
        : ['closed', 'month_closed'],
    );
    if (voided === 1) continue;
    await reopen(account);
    expect(await account.stored.void(file)).toBe(1);
    await work(account);
    expect(await account.days()).toEqual([]);
  }
});

test('in a closed month, no version takes lines away or changes balances', async () => {
  for (const lines of [[gift, fee], [gift, fee, rent, { ...rent, cents: 1n }], []] as Line[][]) {
    const account = await whole();
    await close(account);
    const before = await account.stored.seen();
    await account.stored.upload(statementFile(lines, { ...november, madeAt: '2026-12-02T00:00:00Z' }));
    await work(account);
    const after = await account.stored.seen();
    expect({ ...after, versions: [], replaced: [] }).toEqual({ ...before, versions: [], replaced: [] });
    const { numbers, changes } = await account.months.show(account.environmentId, month);
    expect(numbers).toEqual(changes[0]?.numbers);
    const questions = (await account.days()).flatMap(({ question }) => question?.kind ?? []);
    expect(new Set(questions)).toEqual(new Set(['changed_after_close']));
  }
});

test('a month that changed since it was checked stays open', async () => {
  const account = await whole();
  const store = createMonthsStore(pool);
  const { seen } = await account.months.canClose(account.environmentId, month);
  const given = { reason: 'r', closedBy: 'k', seen };
  const [entryId = ''] = await account.linesOf(7_00n, '2026-11-25');
  await account.decide(entryId, 'ignore');
  await work(account);
  expect(await store.close(account.environmentId, `${month}-01`, given)).toBe('changed_meanwhile');
  // Days that nobody has seen keep it open too.
  const some = {
    ...given,
    seen: (await account.months.canClose(account.environmentId, month)).seen.slice(1),
  };
  expect(await store.close(account.environmentId, `${month}-01`, some)).toBe('changed_meanwhile');
  expect(await close(account)).toEqual({ outcome: 'closed' });
});

test('an upload while a month closes keeps it open or is a question', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const account = await whole();
    const other = statementFile([gift, fee, { ...rent, cents: 8_00n }], november);
    const [closed] = await Promise.all([close(account), account.stored.upload(other)]);
    await work(account);
    const questions = (await account.days()).flatMap((one) => one.question?.kind ?? []);
    const kind = closed.outcome === 'closed' ? 'changed_after_close' : 'two_versions';
    expect(new Set(questions)).toEqual(new Set([kind]));
  }
});

test('a decision while a month closes is refused or keeps it open', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const account = await whole();
    const [entryId = ''] = await account.linesOf(7_00n, '2026-11-25');
    const [line] = await account.decisionStore.lines(account.environmentId, [entryId]);
    const decision = {
      decisionId: entryId,
      action: 'ignore' as const,
      allocations: [],
      reason: 'r',
      seen: 0,
    };
    const [closed, decided] = await Promise.all([
      close(account),
      account.decisionStore.appendOne(account.environmentId, 'k', { entryId, line: line!, decision }),
    ]);
    expect([closed.outcome, decided]).toEqual(
      decided === 'decided'
        ? [expect.stringMatching(/changed_meanwhile|not_ready/), decided]
        : ['closed', 'month_closed'],
    );
  }
});

test('two persons close a month at the same time, and one of them does it', async () => {
  const account = await whole();
  const outcomes = await Promise.all([close(account), close(account)]);
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['already_closed', 'closed']);
  const both = await Promise.all([reopen(account), reopen(account)]);
  expect(both.sort()).toEqual(['already_open', 'reopened']);
});
