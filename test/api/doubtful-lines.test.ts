import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createDecidedAccount, type DecidedAccount } from '../support/deciding';
import { type Line, statementFile } from '../support/statement-files';
import { ids, mapping } from '../unit/bank-statements/bank-months';

/** What a decision counts for: lines in doubt, lines of notifications, and the money of a line. */
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

const [id = ''] = ids;
const day = '2026-11-20';
const nextDay = '2026-11-23';
const unknown: Line = { cents: 25_50n, text: 'a gift', reference: 'REF-0001' };

const newAccount = () => createDecidedAccount(database.admin, pool);

async function upload({ stored }: DecidedAccount, lines: readonly Line[], form: object = {}) {
  const fileId = await stored.upload(statementFile(lines, { from: day, ...form }));
  await stored.work();
  return fileId;
}

const paid = async ({ stored }: DecidedAccount) =>
  (await stored.seen()).money.map(({ id: of, paid: cents }) => [of, cents]);
const reasonsOf = async ({ months, environmentId }: DecidedAccount) =>
  (await months.canClose(environmentId, '2026-11')).reasons.map(({ kind }) => kind);
const lineOf = async ({ decisionStore, environmentId }: DecidedAccount, entryId: string) =>
  (await decisionStore.lines(environmentId, [entryId]))[0];

test('a link of a line that may be a repeat counts', async () => {
  const account = await newAccount();
  const payment: Line = { ...unknown, date: day };
  await upload(account, [payment], { sequence: 7, openingCents: 0n });
  // The statement of the next day has it too, and does not follow.
  await upload(account, [payment], { sequence: 9, from: nextDay, openingCents: 99_00n });
  const [entryId = ''] = await account.linesOf(25_50n, nextDay);
  expect(await lineOf(account, entryId)).toMatchObject({ state: 'proposed', reason: 'possible_repeat' });
  const { line } = await account.decide(entryId, 'link', [[id, 25_50n]]);
  expect(line).toMatchObject({ state: 'counted', outcome: 'matched' });
  expect(await paid(account)).toEqual([[id, '2550']]);
});

test('a link of a line that a better statement has counts', async () => {
  const account = await newAccount();
  await upload(account, [{ ...unknown, date: nextDay }], { from: nextDay });
  const csv = 'Date,Amount,Text,Ref\n2026-11-20,25.50,a gift,REF-0001\n';
  await account.stored.upload(csv, { mapping: { ...mapping, bank_reference: 'Ref' } });
  await account.stored.work();
  const [entryId = ''] = await account.linesOf(25_50n);
  expect(await lineOf(account, entryId)).toMatchObject({ reason: 'in_better_statement' });
  const { line } = await account.decide(entryId, 'link', [[id, 25_50n]]);
  expect(line).toMatchObject({ state: 'counted', outcome: 'matched' });
});

test('a link of a line of a statement that does not add up keeps the month open', async () => {
  const account = await newAccount();
  await upload(account, [unknown], { openingCents: 0n, closingCents: 1n });
  const [entryId = ''] = await account.linesOf(25_50n);
  const { line } = await account.decide(entryId, 'link', [[id, 25_50n]]);
  expect(line).toMatchObject({ state: 'proposed', outcome: 'proposed' });
  expect(await reasonsOf(account)).toContain('lines_to_decide');
});

test('a linked line of a notification counts once beside a statement that has it', async () => {
  for (const text of ['a gift', 'the gift']) {
    const account = await newAccount();
    await upload(account, [{ ...unknown, date: '2026-11-21' }], { kind: '054', from: '2026-11-21' });
    const [entryId = ''] = await account.linesOf(25_50n, '2026-11-21');
    await account.decide(entryId, 'link', [[id, 25_50n]]);
    await upload(account, [{ ...unknown, text, date: nextDay }], { from: nextDay });
    expect(await paid(account)).toEqual([[id, '2550']]);
    expect(await reasonsOf(account)).not.toContain('reported_lines');
  }
});

test('a linked line of a notification keeps the month open on a day without a statement', async () => {
  const account = await newAccount();
  const saturday = '2026-11-21';
  const gift: Line = { cents: 25_50n, text: 'a gift', date: saturday };
  await upload(account, [gift], { kind: '054', from: saturday });
  const [entryId = ''] = await account.linesOf(25_50n, saturday);
  await account.decide(entryId, 'link', [[id, 25_50n]]);
  expect(await reasonsOf(account)).not.toContain('reported_lines');
  // The statement has another reference, so nobody knows that it is the same payment.
  await upload(account, [], { openingCents: 0n });
  await upload(account, [{ ...unknown, id, date: nextDay }], { from: nextDay, openingCents: 0n });
  expect(await reasonsOf(account)).toContain('reported_lines');
  await account.decide(entryId, 'ignore', [], { seen: 1 });
  expect(await paid(account)).toEqual([[id, '2550']]);
  expect(await reasonsOf(account)).not.toContain('reported_lines');
});

test('an accepted difference ends with the money that it is about', async () => {
  const isAccepted = async ({ environmentId }: DecidedAccount) => {
    const { rows } = await database.admin.query<{ is_accepted: boolean }>(
      'SELECT accepted_at IS NOT NULL AS is_accepted FROM contribution_money WHERE environment_id = $1',
      [environmentId],
    );
    return rows.map(({ is_accepted: is }) => is);
  };
  const account = await newAccount();
  await upload(account, [{ ...unknown, cents: 20_00n }]);
  const [entryId = ''] = await account.linesOf(20_00n);
  await account.decide(entryId, 'link', [[id, 20_00n]]);
  await account.decide(entryId, 'accept_difference');
  expect(await isAccepted(account)).toEqual([true]);
  await account.stored.work();
  expect(await isAccepted(account)).toEqual([true]);
  await account.decide(entryId, 'unlink', [], { seen: 2 });
  await account.decide(entryId, 'link', [[id, 20_00n]], { seen: 3 });
  expect(await paid(account)).toEqual([[id, '2000']]);
  expect(await isAccepted(account)).toEqual([false]);
  // Other money with the same amount.
  await account.decide(entryId, 'accept_difference', [], { seen: 4 });
  expect(await isAccepted(account)).toEqual([true]);
  await account.decide(entryId, 'undo');
  await upload(account, [{ cents: 20_00n, id, date: nextDay }], { from: nextDay });
  expect(await paid(account)).toEqual([[id, '2000']]);
  expect(await isAccepted(account)).toEqual([false]);
});

test('complete is refused while a void of its statement waits to be compared', async () => {
  const account = await newAccount();
  const file = await upload(account, [{ ...unknown, id }]);
  const [entryId = ''] = await account.linesOf(25_50n);
  const line = (await lineOf(account, entryId))!;
  await account.stored.void(file);
  const decision = {
    decisionId: entryId,
    action: 'complete',
    allocations: [],
    reason: 'r',
    seen: 0,
  } as const;
  const { environmentId, decisionStore } = account;
  expect(await decisionStore.appendOne(environmentId, 'k', { entryId, line, decision })).toBe('pending');
});

test('a void while the contributions of a line are completed is stated', async () => {
  let file = '';
  const account = await createDecidedAccount(database.admin, pool, {
    whileCompleting: () => account.stored.void(file),
  });
  file = await upload(account, [{ ...unknown, id }]);
  const [entryId = ''] = await account.linesOf(25_50n);
  expect((await account.decide(entryId, 'complete')).outcome).toBe('superseded_meanwhile');
  expect(account.completed).toEqual([id]);
});
