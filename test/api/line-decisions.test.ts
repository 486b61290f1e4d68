import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import { ServiceError } from '../../src/shared/errors';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createDecidedAccount, type DecidedAccount } from '../support/deciding';
import { type Line, statementFile } from '../support/statement-files';
import { contributions, ids } from '../unit/bank-statements/bank-months';

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

const [id = '', other = ''] = ids;
const day = '2026-11-20';

async function accountWith(lines: readonly Line[], from = day): Promise<DecidedAccount> {
  const account = await createDecidedAccount(database.admin, pool);
  await account.stored.upload(statementFile(lines, { from }));
  await account.stored.work();
  return account;
}

const unknown: Line = { cents: 25_50n, text: 'a gift', reference: 'REF-0001' };
const moneyOf = async ({ stored }: DecidedAccount) =>
  (await stored.seen()).money.map(({ id: of, paid, returned, charges }) => [of, paid, returned, charges]);

test('a link gives the money of a line to a contribution at once', async () => {
  const account = await accountWith([unknown]);
  const [entryId = ''] = await account.linesOf(25_50n);
  const { outcome, line } = await account.decide(entryId, 'link', [[id, 25_50n]]);
  expect(outcome).toBe('decided');
  expect(line).toMatchObject({ outcome: 'matched', isDecided: true, isPending: false, newestDecision: 1 });
  expect(line?.allocations).toMatchObject([
    { transactionId: id, confidence: 'decision', state: 'confirmed' },
  ]);
  expect(await moneyOf(account)).toEqual([[id, '2550', '0', '0']]);
  expect(account.failures).toEqual([]);
  expect(await account.decisions.list(account.environmentId, entryId)).toMatchObject([
    { action: 'link', decided_by: 'cpk_test_accountant', reason: 'link' },
  ]);
});

test('undo takes all decisions of a line back, and the same decision can follow', async () => {
  const account = await accountWith([unknown]);
  const [entryId = ''] = await account.linesOf(25_50n);
  expect(await account.decide(entryId, 'undo')).toMatchObject({ outcome: 'nothing_to_undo' });
  await account.decide(entryId, 'link', [[id, 25_50n]]);
  await account.decide(entryId, 'accept_difference');
  const undone = await account.decide(entryId, 'undo');
  expect(undone).toMatchObject({ outcome: 'decided', line: { outcome: 'unknown', isDecided: false } });
  expect(await moneyOf(account)).toEqual([]);
  expect(await account.decide(entryId, 'undo')).toMatchObject({ outcome: 'same' });
  // A late retry changes nothing. A person who has seen the undo decides again.
  expect(await account.decide(entryId, 'link', [[id, 25_50n]])).toMatchObject({ outcome: 'superseded' });
  expect(await account.decide(entryId, 'link', [[id, 25_50n]], { seen: 3 })).toMatchObject({
    outcome: 'decided',
    line: { outcome: 'matched' },
  });
});

test.each<[situation: string, line: Line, cents: bigint, outcome: string, charges: string[]]>([
  ['less than a payment', unknown, 25_49n, 'amount_too_low', []],
  ['more than a payment: a charge', { ...unknown, chargesCents: 10n }, 25_60n, 'decided', ['10']],
  ['more than a payment and its contribution', unknown, 999_999_00n, 'amount_too_high', []],
  ['more than a return', { ...unknown, direction: 'debit' }, 25_51n, 'amount_too_high', []],
  ['less than a return: a charge', { ...unknown, direction: 'debit' }, 25_00n, 'decided', ['50']],
  ['a line that is not booked', { ...unknown, status: 'PDNG' }, 25_50n, 'not_booked', []],
  ['a line in another currency', { ...unknown, currency: 'EUR' }, 25_50n, 'decided', ['0']],
])('a link with %s', async (_situation, line, cents, outcome, charges) => {
  const account = await accountWith([line]);
  const [entryId = ''] = await account.linesOf(25_50n);
  expect((await account.decide(entryId, 'link', [[id, cents]])).outcome).toBe(outcome);
  expect((await moneyOf(account)).map(([, , , own]) => own)).toEqual(charges);
});

test('a line that is not booked cannot be linked after it was ignored', async () => {
  const account = await accountWith([{ ...unknown, status: 'PDNG' }]);
  const [entryId = ''] = await account.linesOf(25_50n);
  expect((await account.decide(entryId, 'ignore')).outcome).toBe('decided');
  expect((await account.decide(entryId, 'link', [[id, 25_50n]])).outcome).toBe('not_booked');
});

test('a split gives a line to several contributions, and unlink takes it away', async () => {
  const account = await accountWith([{ ...unknown, cents: 51_00n }]);
  const [entryId = ''] = await account.linesOf(51_00n);
  const parts: [string, bigint][] = [
    [id, 25_50n],
    [other, 25_50n],
  ];
  expect((await account.decide(entryId, 'split', parts)).line?.outcome).toBe('matched');
  expect(await moneyOf(account)).toHaveLength(2);
  expect((await account.decide(entryId, 'unlink')).line).toMatchObject({ reason: 'unlinked' });
  expect(await moneyOf(account)).toEqual([]);
});

test('bad input is refused before anything is stored', async () => {
  const account = await accountWith([unknown]);
  const [entryId = ''] = await account.linesOf(25_50n);
  const refused = (...given: Parameters<DecidedAccount['decide']>) =>
    expect(account.decide(...given)).rejects.toThrow(ServiceError);
  await refused(entryId, 'link', []);
  await refused(entryId, 'split', [[id, 25_50n]]);
  await refused(entryId, 'undo', [[id, 25_50n]]);
  await refused(entryId, 'split', [
    [id, 1n],
    [id, 25_49n],
  ]);
  await refused(entryId, 'link', [[`${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`, 25_50n]]);
  expect(
    await account.decide(entryId, 'link', [[ids[4] ?? contributions[3]!.transactionId, 1n]]),
  ).toMatchObject({ outcome: 'amount_too_low' });
  expect(await account.decide('019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b', 'ignore')).toEqual({
    outcome: 'no_line',
    line: undefined,
  });
  const stranger = await createDecidedAccount(database.admin, pool);
  expect((await stranger.decide(entryId, 'ignore')).outcome).toBe('no_line');
  expect(await account.decisions.list(account.environmentId, entryId)).toEqual([]);
});

test('of two decisions at the same time, the one that has not seen the other is refused', async () => {
  const account = await accountWith([unknown]);
  const [entryId = ''] = await account.linesOf(25_50n);
  const outcomes = await Promise.all([
    account.decide(entryId, 'link', [[id, 25_50n]], { seen: 0 }),
    account.decide(entryId, 'ignore', [], { seen: 0 }),
  ]);
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['decided', 'superseded']);
  const same = await Promise.all(
    Array.from({ length: 4 }, () => account.decide(entryId, 'unlink', [], { reason: 'twice' })),
  );
  expect(same.map(({ outcome }) => outcome).sort()).toEqual(['decided', 'same', 'same', 'same']);
});

test('a decision while the worker compares the day counts in its next turn', async () => {
  const account = await accountWith([unknown]);
  const [entryId = ''] = await account.linesOf(25_50n);
  const { days } = account.stored.dependencies;
  const dayOf = { environmentId: account.environmentId, accountId: account.accountId, day };
  await days.mark(account.environmentId, account.accountId, [day], '1'.repeat(1_024));
  const claimed = (await days.claim(dayOf))!;
  const decided = await account.decide(entryId, 'ignore');
  expect(decided).toMatchObject({ outcome: 'decided', line: { isPending: true, isDecided: false } });
  // The worker stores what it has found before the decision, and goes on.
  expect(await days.putChunk(claimed, claimed.working, [], [])).toBe(true);
  expect(await days.finish(claimed)).toBe(true);
  await account.stored.work();
  const [line] = await account.decisionStore.lines(account.environmentId, [entryId]);
  expect(line).toMatchObject({ outcome: 'ignored', isDecided: true, isPending: false });
});

test('a decision queues the other days with the same money', async () => {
  const account = await accountWith([unknown]);
  await account.stored.upload(statementFile([{ ...unknown, date: '2026-11-23' }], { from: '2026-11-23' }));
  await account.stored.work();
  const [entryId = ''] = await account.linesOf(25_50n);
  const [line] = await account.decisionStore.lines(account.environmentId, [entryId]);
  const decision = { decisionId: entryId, action: 'ignore' as const, allocations: [], reason: 'r', seen: 0 };
  await account.decisionStore.append(account.environmentId, 'k', [{ entryId, line: line!, decision }]);
  expect(await account.stored.daysWithWork()).toEqual([day, '2026-11-23']);
});

test('accept_difference keeps the money of now, and ends when the money changes', async () => {
  const account = await accountWith([{ cents: 20_00n, id, reference: 'REF-0001' }]);
  const accepted = async () => {
    const { rows } = await database.admin.query<{ is_accepted: boolean }>(
      'SELECT accepted_at IS NOT NULL AS is_accepted FROM contribution_money WHERE environment_id = $1',
      [account.environmentId],
    );
    return rows.map(({ is_accepted: is }) => is);
  };
  const [entryId = ''] = await account.linesOf(20_00n);
  expect(await accepted()).toEqual([false]);
  expect((await account.decide(entryId, 'accept_difference')).outcome).toBe('decided');
  expect(await accepted()).toEqual([true]);
  await account.stored.upload(
    statementFile([{ cents: 1_00n, id, date: '2026-11-23' }], { from: '2026-11-23' }),
  );
  await account.stored.work();
  expect(await accepted()).toEqual([false]);
  // A late retry accepts nothing. A person who has seen the money of now does.
  expect((await account.decide(entryId, 'accept_difference')).outcome).toBe('superseded');
  expect((await account.decide(entryId, 'accept_difference', [], { seen: 1 })).outcome).toBe('decided');
  expect(await accepted()).toEqual([true]);
  expect((await account.decide(entryId, 'accept_difference')).outcome).toBe('same');
  expect((await account.decide(entryId, 'undo')).outcome).toBe('decided');
  expect(await accepted()).toEqual([false]);
  const [none = ''] = await (await accountWith([unknown])).linesOf(25_50n);
  expect((await account.decide(none, 'accept_difference')).outcome).toBe('no_line');
});

test('complete completes what a line pays, and a repeat completes the rest', async () => {
  const account = await accountWith([unknown, { cents: 25_50n, id, reference: 'REF-0002' }]);
  const [entryId = '', paid = ''] = await account.linesOf(25_50n);
  const lines = await account.decisionStore.lines(account.environmentId, [entryId, paid]);
  const paying = lines.find(({ outcome }) => outcome === 'matched')!;
  const idle = lines.find(({ outcome }) => outcome !== 'matched')!;
  expect((await account.decide(idle.entryId, 'complete')).outcome).toBe('pays_nothing');
  expect((await account.decide(paying.entryId, 'complete')).outcome).toBe('decided');
  expect((await account.decide(paying.entryId, 'complete')).outcome).toBe('same');
  expect(account.completed).toEqual([id, id]);
  await account.decide(paying.entryId, 'ignore');
  expect((await account.decide(paying.entryId, 'complete')).outcome).toBe('superseded');
  expect(account.completed).toHaveLength(2);
});

test('a thousand fees are ignored in one call, each with its own outcome', async () => {
  const fees = Array.from({ length: 999 }, (_, at): Line => ({ ...unknown, cents: BigInt(at % 50) + 1n }));
  const account = await accountWith([...fees, { ...unknown, status: 'PDNG' }]);
  const { rows } = await database.admin.query<{ entry_id: string }>(
    'SELECT entry_id FROM line_outcomes WHERE environment_id = $1 ORDER BY amount_cents, entry_id',
    [account.environmentId],
  );
  const ignore = { action: 'ignore' as const, allocations: [], reason: 'fees' };
  const all = rows.map(({ entry_id: entryId }) => ({ entryId, ...ignore }));
  const started = Date.now();
  const outcomes = await account.decisions.decideMany(account.principal, all);
  expect(Date.now() - started).toBeLessThan(20_000);
  expect(new Set(outcomes)).toEqual(new Set(['decided']));
  expect(outcomes).toHaveLength(1_000);
  await account.stored.work();
  const { terms } = await account.stored.seen();
  expect(terms).toMatchObject([{ term: 'ignored' }]);
  // A repeat changes nothing. Each line has its own outcome.
  const [first, second, ...others] = all;
  const link = (of: typeof first, amount: bigint) => ({
    ...{ ...of!, action: 'link' as const, allocations: [{ transaction_id: id, amount }] },
  });
  expect(
    await account.decisions.decideMany(account.principal, [
      ...[link(others.at(-1), 25_50n), link(first, 1_00n), second!],
      { ...ignore, entryId: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3b' },
    ]),
  ).toEqual(['not_booked', 'decided', 'same', 'no_line']);
  await expect(account.decisions.decideMany(account.principal, [...all, ...all])).rejects.toThrow(
    ServiceError,
  );
  await expect(account.decisions.decideMany(account.principal, [second!, second!])).rejects.toThrow(
    ServiceError,
  );
});

test('decisions for many lines and the worker never wait for each other', async () => {
  const account = await createDecidedAccount(database.admin, pool);
  const days = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];
  for (const date of days) {
    const lines = Array.from({ length: 20 }, (): Line => ({ ...unknown, date }));
    await account.stored.upload(statementFile(lines, { from: date }));
  }
  await account.stored.work();
  const { rows } = await database.admin.query<{ entry_id: string }>(
    'SELECT entry_id FROM line_outcomes WHERE environment_id = $1 AND entry_id IS NOT NULL ORDER BY entry_id',
    [account.environmentId],
  );
  const many = (entries: typeof rows, reason: string) =>
    account.decisions.decideMany(
      account.principal,
      entries.map(({ entry_id: entryId }) => ({ entryId, action: 'ignore', allocations: [], reason })),
    );
  await Promise.all([
    many(rows, 'one'),
    account.stored.work(),
    many([...rows].reverse(), 'two'),
    account.stored.work(true),
  ]);
  await account.stored.work();
  const { lines } = await account.stored.seen();
  expect(new Set(lines.map(({ outcome }) => outcome))).toEqual(new Set(['ignored']));
});
