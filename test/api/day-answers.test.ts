import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import type { DayAnswer } from '../../src/features/bank-statements/answers/day-answer';
import { createAccountNumbersStore } from '../../src/features/bank-statements/accounts/account-numbers.store';
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

const day = '2026-11-20';
const gift: Line = { cents: 25_50n, text: 'a gift', reference: 'REF-0001' };
const rent: Line = { cents: 7_00n, text: 'rent', reference: 'REF-0002' };

/** The version and the question of a day, as a person sees them. */
const dayOf = async (account: DecidedAccount, of = day) =>
  (await account.days()).find((one) => one.day === of)!;

async function twoVersions(): Promise<DecidedAccount> {
  const account = await createDecidedAccount(database.admin, pool);
  await account.stored.upload(statementFile([gift, rent], { from: day }));
  await account.stored.upload(statementFile([gift, { ...rent, cents: 8_00n }], { from: day }));
  await account.stored.work();
  return account;
}

const answer = (
  { answers, principal, accountId }: DecidedAccount,
  given: DayAnswer,
  asked: { day?: string } = {},
) => answers.answer(principal, { accountId, day, ...asked }, given);

test('an answer chooses a version, and undo asks again', async () => {
  const account = await twoVersions();
  const { question } = await dayOf(account);
  const among = question?.versions ?? [];
  expect(question?.kind).toBe('two_versions');
  const [, second = ''] = among;
  const given: DayAnswer = { kind: 'version', version: second, among, reason: 'the bank says so' };
  expect(await answer(account, given)).toBe('answered');
  expect(await dayOf(account)).toMatchObject({ version: second, question: null });
  expect(await answer(account, given)).toBe('same');
  expect(await answer(account, { ...given, reason: 'again' })).toBe('question_changed');
  expect(await answer(account, { kind: 'undo', reason: 'wrong' })).toBe('answered');
  expect((await dayOf(account)).question).toEqual(question);
  expect(await answer(account, { kind: 'undo', reason: 'twice' })).toBe('nothing_to_undo');
  expect(await account.answers.list({ ...account.stored.account, day })).toMatchObject([
    { kind: 'undo', decided_by: 'cpk_test_accountant' },
    { kind: 'version', version: second, among },
  ]);
});

test('an answer to another question than the present one is refused', async () => {
  const account = await twoVersions();
  const among = (await dayOf(account)).question?.versions ?? [];
  const [version = ''] = among;
  const reason = 'r';
  expect(await answer(account, { kind: 'version', version: 'other', among, reason })).toBe(
    'question_changed',
  );
  expect(await answer(account, { kind: 'version', version, among: [version], reason })).toBe(
    'question_changed',
  );
  expect(await answer(account, { kind: 'use_anyway', version, among, reason })).toBe('question_changed');
  expect(await answer(account, { kind: 'all_lines', among: [], reason })).toBe('question_changed');
  expect(await answer(account, { kind: 'accept', gap: 'none', reason })).toBe('question_changed');
  expect(await answer(account, { kind: 'undo', reason }, { day: '2026-11-19' })).toBe('no_day');
  const stranger = await createDecidedAccount(database.admin, pool);
  expect(
    await answer({ ...account, principal: stranger.principal }, { kind: 'all_lines', among, reason }),
  ).toBe('no_day');
  expect(await answer(account, { kind: 'all_lines', among, reason })).toBe('answered');
  expect((await account.stored.seen()).lines).toHaveLength(3);
});

test('the same answer to a new question counts, and so does what it remembers', async () => {
  const account = await twoVersions();
  const ask = async () => (await dayOf(account)).question?.versions ?? [];
  const both = async (): Promise<DayAnswer> => ({ kind: 'all_lines', among: await ask(), reason: 'both' });
  expect(await answer(account, await both())).toBe('answered');
  await account.stored.upload(statementFile([gift, { ...rent, cents: 9_00n }], { from: day }));
  await account.stored.work();
  const third = await both();
  expect(await answer(account, third)).toBe('answered');
  expect(await answer(account, third)).toBe('same');
  expect((await dayOf(account)).question).toBeNull();
});

test('a third version asks again, although a person chose one of two', async () => {
  const account = await twoVersions();
  const among = (await dayOf(account)).question?.versions ?? [];
  const [version = ''] = among;
  await answer(account, { kind: 'version', version, among, reason: 'r' });
  await account.stored.upload(statementFile([gift, { ...rent, cents: 9_00n }], { from: day }));
  await account.stored.work();
  expect((await dayOf(account)).question?.versions).toHaveLength(3);
});

test('one answer is about all days of a statement that does not add up', async () => {
  const account = await createDecidedAccount(database.admin, pool);
  const lines = ['2026-11-17', '2026-11-18', '2026-11-19'].map((date): Line => ({ ...gift, date }));
  await account.stored.upload(
    statementFile(lines, { from: '2026-11-17', to: '2026-11-19', openingCents: 1n, closingCents: 2n }),
  );
  await account.stored.work();
  const asked = { day: '2026-11-17' };
  const { question } = await dayOf(account, asked.day);
  const among = question?.versions ?? [];
  const [version = ''] = among;
  expect(question?.kind).toBe('unbalanced');
  expect(await answer(account, { kind: 'use_anyway', version, among, reason: 'r' }, asked)).toBe('answered');
  await account.stored.work();
  const questions = async () => (await account.days()).map(({ question }) => question !== null);
  expect(await questions()).toEqual([false, false, false]);
  expect(await answer(account, { kind: 'undo', reason: 'wrong' }, asked)).toBe('answered');
  await account.stored.work();
  expect(await questions()).toEqual([true, true, true]);
});

test('an answer chooses a statement on all of its days, also on those where the versions are equal', async () => {
  const account = await createDecidedAccount(database.admin, pool);
  const of = (cents: bigint): string => {
    const lines = [
      { ...gift, date: '2026-11-17' },
      { ...rent, cents, date: '2026-11-18' },
      { ...gift, date: '2026-11-19' },
    ];
    return statementFile(lines, { from: '2026-11-17', to: '2026-11-19', openingCents: 0n });
  };
  for (const cents of [8_00n, 9_00n]) await account.stored.upload(of(cents));
  await account.stored.work();
  const versions = async () => new Set((await account.days()).map(({ version }) => version));
  const asked = { day: '2026-11-18' };
  const among = (await dayOf(account, asked.day)).question?.versions ?? [];
  for (const version of among) {
    expect(await answer(account, { kind: 'version', version, among, reason: version }, asked)).toBe(
      'answered',
    );
    await account.stored.work();
    expect(await versions()).toEqual(new Set([version]));
    expect(await answer(account, { kind: 'undo', reason: 'wrong' }, asked)).toBe('answered');
    await account.stored.work();
    expect((await dayOf(account, asked.day)).question?.versions).toEqual(among);
  }
});

test('a gap is accepted by the balances that a person has seen', async () => {
  const account = await createDecidedAccount(database.admin, pool);
  await account.stored.upload(
    statementFile([{ ...gift, date: '2026-11-19' }], { from: '2026-11-19', openingCents: 0n }),
  );
  await account.stored.upload(statementFile([rent], { from: day, openingCents: 99_00n }));
  await account.stored.work();
  const accept = (gap: string) => answer(account, { kind: 'accept', gap, reason: 'moved to another bank' });
  expect(await accept('2026-11-19 2550 9901')).toBe('question_changed');
  expect(await accept('2026-11-19 2550 9900')).toBe('answered');
  const { reasons } = await account.months.canClose(account.environmentId, '2026-11');
  expect(reasons.map(({ kind }) => kind)).not.toContain('does_not_follow');
  await answer(account, { kind: 'undo', reason: 'wrong' });
  await account.stored.work();
  const again = await account.months.canClose(account.environmentId, '2026-11');
  expect(again.reasons.map(({ kind }) => kind)).toContain('does_not_follow');
});

test('an account remembers an answer until a person ends that', async () => {
  const account = await createDecidedAccount(database.admin, pool);
  for (const date of ['2026-11-19', day]) {
    for (const hour of ['10', '18']) {
      const line = { ...rent, cents: BigInt(hour) };
      const madeAt = `${date}T${hour}:00:00Z`;
      await account.stored.upload(
        statementFile([{ ...line, date }], { from: date, madeAt, openingCents: BigInt(hour) }),
      );
    }
  }
  await account.stored.work();
  const { question } = await dayOf(account);
  expect(question?.kind).toBe('two_versions');
  const among = question?.versions ?? [];
  const [version = ''] = among;
  const given: DayAnswer = { kind: 'version', version, among, reason: 'r', remember: 'newest' };
  expect(await answer(account, given)).toBe('answered');
  await account.stored.work();
  expect((await dayOf(account, '2026-11-19')).question).toBeNull();
  expect(await answer(account, { kind: 'undo', reason: 'r', remember: 'nothing' })).toBe('answered');
  await account.stored.work();
  expect((await dayOf(account, '2026-11-19')).question).not.toBeNull();
});

test('of two answers at the same time, one counts', async () => {
  const account = await twoVersions();
  const among = (await dayOf(account)).question?.versions ?? [];
  const [one = '', other = ''] = among;
  const outcomes = await Promise.all(
    [one, other].map((version) => answer(account, { kind: 'version', version, among, reason: 'r' })),
  );
  // The other one came second: it replaces the first, or the question was answered already.
  expect(outcomes).toContain('answered');
  await account.stored.work();
  expect((await dayOf(account)).question).toBeNull();
});

test('an answer while a day is compared ends that comparison', async () => {
  const account = await twoVersions();
  const among = (await dayOf(account)).question?.versions ?? [];
  const { days } = account.stored.dependencies;
  await days.mark(account.environmentId, account.accountId, [day], '1'.repeat(1_024));
  const claimed = (await days.claim({ ...account.stored.account, day }))!;
  expect(await answer(account, { kind: 'all_lines', among, reason: 'r' })).toBe('answered');
  expect(await days.putChunk(claimed, claimed.working, [], [])).toBe(false);
  expect((await account.stored.seen()).lines).toHaveLength(3);
});

describe('rules of an account', () => {
  const fee: Line = { ...rent, direction: 'debit', subFamily: 'OTHB' };
  const set = (
    { rules, environmentId, accountId }: DecidedAccount,
    outcome: 'charge' | 'ignore' | 'none',
    direction: 'credit' | 'debit' = 'debit',
  ) => rules.set(environmentId, accountId, 'cpk', { direction, code: 'OTHB', outcome, reason: 'fees' });
  const outcomes = async ({ stored }: DecidedAccount) => {
    await stored.work();
    return (await stored.seen()).lines.map((line) => {
      const { outcome, reason, cents } = line as unknown as Record<string, string>;
      return `${cents} ${outcome} ${reason}`;
    });
  };

  test('say what lines with a code are, as long as they count', async () => {
    const account = await createDecidedAccount(database.admin, pool);
    const debit: Line = { ...gift, direction: 'debit' };
    await account.stored.upload(
      statementFile([fee, debit, { ...fee, cents: 3n, direction: 'credit' }], { from: day }),
    );
    expect((await outcomes(account)).sort()).toEqual([
      ...['2550 unknown no_reference', '3 unknown no_reference', '700 unknown no_reference'],
    ]);
    expect(await set(account, 'charge')).toBe('set');
    expect(await set(account, 'charge')).toBe('same');
    expect(await account.stored.daysWithWork()).toEqual([day]);
    expect((await outcomes(account)).sort()).toEqual([
      ...['2550 unknown no_reference', '3 unknown no_reference', '700 unknown bank_charge'],
    ]);
    expect(await set(account, 'ignore')).toBe('set');
    expect(await outcomes(account)).toContain('700 ignored null');
    expect(await account.rules.list(account.environmentId, account.accountId)).toMatchObject([
      { code: 'OTHB', direction: 'debit', outcome: 'ignore', decided_by: 'cpk' },
    ]);
    expect(await set(account, 'none')).toBe('set');
    expect(await set(account, 'none')).toBe('no_rule');
    expect(await set(account, 'none', 'credit')).toBe('no_rule');
    expect(await outcomes(account)).toContain('700 unknown no_reference');
    const stranger = await createDecidedAccount(database.admin, pool);
    expect(await set({ ...account, accountId: stranger.accountId }, 'charge')).toBe('no_account');
  });

  test('leave lines alone that name contributions', async () => {
    const account = await createDecidedAccount(database.admin, pool);
    const damaged = {
      ...gift,
      id: `${ids[0]!.slice(0, -1)}${ids[0]!.endsWith('0') ? '1' : '0'}`,
      subFamily: 'OTHB',
    };
    const several = { ...gift, id: ids[0]!, text: ids[1]!, cents: 1_00n, subFamily: 'OTHB' };
    await account.stored.upload(statementFile([damaged, several], { from: day }));
    const before = await outcomes(account);
    expect(before).toHaveLength(2);
    expect(before.join(' ')).not.toContain('no_reference');
    await set(account, 'charge', 'credit');
    expect(await outcomes(account)).toEqual(before);
  });

  test('yield to a match and to a decision', async () => {
    const account = await createDecidedAccount(database.admin, pool);
    await account.stored.upload(statementFile([fee], { from: day }));
    await set(account, 'charge');
    expect(await outcomes(account)).toEqual(['700 unknown bank_charge']);
    const [entryId = ''] = await account.linesOf(7_00n);
    await account.decide(entryId, 'unlink');
    expect(await outcomes(account)).toEqual(['700 unknown unlinked']);
  });
});

test('a further number of an account is added while nothing counts under it', async () => {
  const [account, other] = [
    await createDecidedAccount(database.admin, pool),
    await createDecidedAccount(database.admin, pool),
  ];
  const { environmentId, accountId } = account;
  const otherId = other.accountId;
  const numbers = createAccountNumbersStore(pool);
  const add = (from: string, to: string) =>
    numbers.add(environmentId, { accountId: to, otherId: from }, { reason: 'r', decidedBy: 'k' });
  expect(await add(otherId, accountId)).toBe('no_account');
  await database.admin.query(
    `INSERT INTO statement_accounts (environment_id, account_id, account_hmac, direction) VALUES ($1, $2, $3, 'credit')`,
    [environmentId, otherId, Buffer.from(otherId)],
  );
  expect(await add(accountId, accountId)).toBe('no_account');
  await account.stored.upload(statementFile([gift], { from: day }));
  expect(await add(accountId, otherId)).toBe('has_statements');
  const outcomes = await Promise.all([add(otherId, accountId), add(otherId, accountId)]);
  expect(outcomes.sort()).toEqual(['added', 'same']);
  expect(await add(accountId, otherId)).toBe('has_numbers');
});
