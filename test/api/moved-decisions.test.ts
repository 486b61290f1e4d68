import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import { createAccountCalendars } from '../../src/features/bank-statements/reporting/days/account-calendars';
import { createCalendarStore } from '../../src/features/bank-statements/reporting/days/calendar.store';
import { createDayFactsStore } from '../../src/features/bank-statements/reporting/days/day-facts.store';
import { createLostDecisionsStore } from '../../src/features/bank-statements/reporting/days/lost-decisions.store';
import { createQuestionsService } from '../../src/features/bank-statements/reporting/days/questions.service';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createDecidedAccount, type DecidedAccount } from '../support/deciding';
import { type Line, statementFile } from '../support/statement-files';
import { ids } from '../unit/bank-statements/bank-months';

/** Decisions about lines that disappear, that another statement has, or that look like others. */
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
const nextDay = '2026-11-23';
const unknown: Line = { cents: 25_50n, text: 'a gift', reference: 'REF-0001' };

const newAccount = () => createDecidedAccount(database.admin, pool);

async function upload({ stored }: DecidedAccount, lines: readonly Line[], form: object = {}) {
  const fileId = await stored.upload(statementFile(lines, { from: day, ...form }));
  await stored.work();
  return fileId;
}

async function remove({ stored }: DecidedAccount, fileId: string): Promise<void> {
  await stored.void(fileId);
  await stored.work();
}

const paid = async ({ stored }: DecidedAccount) =>
  (await stored.seen()).money.map(({ id: of, paid: cents }) => [of, cents]);
const reasonsOf = async ({ months, environmentId }: DecidedAccount) =>
  (await months.canClose(environmentId, '2026-11')).reasons.map(({ kind }) => kind);
const lineOf = async ({ decisionStore, environmentId }: DecidedAccount, entryId: string) =>
  (await decisionStore.lines(environmentId, [entryId]))[0];

async function questionsOf({ environmentId }: DecidedAccount) {
  const accounts = createCalendarStore(pool);
  const [calendars, facts] = [createAccountCalendars(accounts), createDayFactsStore(pool)];
  const lost = createLostDecisionsStore(pool);
  const { questions } = await createQuestionsService({ accounts, calendars, facts, lost }).list(
    environmentId,
    undefined,
  );
  return questions.filter(({ kind }) => kind === 'decision_without_line');
}

test('a decision whose line disappeared is a question until somebody takes it back', async () => {
  const account = await newAccount();
  const file = await upload(account, [unknown]);
  const [entryId = ''] = await account.linesOf(25_50n);
  await account.decide(entryId, 'link', [[id, 25_50n]]);
  expect(await questionsOf(account)).toEqual([]);
  await remove(account, file);
  expect(await paid(account)).toEqual([]);
  expect(await reasonsOf(account)).toContain('decision_without_line');
  expect(await questionsOf(account)).toMatchObject([{ from: day, to: day, entryId }]);
  expect(await account.decide(entryId, 'ignore')).toEqual({ outcome: 'no_line', line: undefined });
  expect(await account.decide(entryId, 'undo')).toEqual({ outcome: 'decided', line: undefined });
  // The response was lost.
  expect(await account.decide(entryId, 'undo')).toEqual({ outcome: 'same', line: undefined });
  expect(await reasonsOf(account)).not.toContain('decision_without_line');
  expect(await questionsOf(account)).toEqual([]);
  // The line comes back without its decision.
  await upload(account, [unknown]);
  expect(await paid(account)).toEqual([]);
});

test('a decision without a line is taken back with others, and not in a closed month', async () => {
  const account = await newAccount();
  const file = await upload(account, [unknown]);
  const [entryId = ''] = await account.linesOf(25_50n);
  await account.decide(entryId, 'link', [[id, 25_50n]]);
  await remove(account, file);
  const undo = { entryId, action: 'undo' as const, allocations: [], reason: 'gone' };
  await database.admin.query(
    `INSERT INTO closed_months (environment_id, month, closed_by) VALUES ($1, '2026-11-01', 'k')`,
    [account.environmentId],
  );
  expect(await account.decisions.decideMany(account.principal, [undo])).toEqual(['month_closed']);
  await database.admin.query('DELETE FROM closed_months WHERE environment_id = $1', [account.environmentId]);
  expect(await account.decisions.decideMany(account.principal, [undo])).toEqual(['decided']);
  expect(await account.decisions.decideMany(account.principal, [undo])).toEqual(['same']);
});

/** A line that was linked, and is on another day now. */
async function movedLink() {
  const account = await newAccount();
  const file = await upload(account, [unknown]);
  const [from = ''] = await account.linesOf(25_50n);
  await account.decide(from, 'link', [[id, 25_50n]]);
  await upload(account, [{ ...unknown, text: 'the gift', date: nextDay }], { from: nextDay });
  await remove(account, file);
  const [to = ''] = await account.linesOf(25_50n, nextDay);
  return { account, from, to };
}

test('a decision that moved to a line is seen and taken back there', async () => {
  const { account, from, to } = await movedLink();
  expect(await paid(account)).toEqual([[id, '2550']]);
  expect(await lineOf(account, to)).toMatchObject({ isDecided: true, newestDecision: 1 });
  expect(await account.decisions.list(account.environmentId, to)).toMatchObject([{ action: 'link' }]);
  expect(await questionsOf(account)).toEqual([]);
  expect(await account.decide(to, 'ignore', [], { seen: 0 })).toMatchObject({ outcome: 'superseded' });
  expect(await account.decide(to, 'undo', [], { seen: 1 })).toMatchObject({
    outcome: 'decided',
    line: { isDecided: false, outcome: 'unknown' },
  });
  expect(await account.decide(to, 'undo', [], { seen: 1 })).toMatchObject({ outcome: 'same' });
  expect(await paid(account)).toEqual([]);
  expect(await account.decisions.list(account.environmentId, from)).toMatchObject([
    { action: 'undo' },
    { action: 'link' },
  ]);
  expect(await reasonsOf(account)).not.toContain('decision_without_line');
});

test('a new decision replaces the one that moved to its line', async () => {
  const { account, to } = await movedLink();
  const decided = await account.decide(to, 'link', [[other, 25_50n]], { seen: 1 });
  expect(decided).toMatchObject({ outcome: 'decided' });
  expect(await paid(account)).toEqual([[other, '2550']]);
  expect(await reasonsOf(account)).not.toContain('decision_without_line');
  const seen = (await lineOf(account, to))?.newestDecision ?? 0;
  expect(await account.decide(to, 'ignore', [], { seen })).toMatchObject({ outcome: 'decided' });
  expect(await paid(account)).toEqual([]);
});

test('accepting a difference leaves the decision that moved to the line', async () => {
  const { account, to } = await movedLink();
  expect(await account.decide(to, 'accept_difference')).toMatchObject({ outcome: 'decided' });
  await account.stored.work();
  expect(await paid(account)).toEqual([[id, '2550']]);
});

test('a decision stays with the content of its line among equal lines', async () => {
  // The ids and amounts are equal, but the codes differ.
  const lines = ['RRCT', 'ESCT', 'DMCT'].map((subFamily): Line => ({
    cents: 25_50n,
    text: 'gift',
    subFamily,
  }));
  for (const decided of lines) {
    const account = await newAccount();
    const file = await upload(account, lines, {
      sequence: 7,
      openingCents: 0n,
      madeAt: '2026-11-21T01:00:00',
    });
    const { rows } = await database.admin.query<{ entry_id: string }>(
      `SELECT o.entry_id FROM line_outcomes o JOIN statement_lines l USING (environment_id, statement_id, number)
        WHERE o.environment_id = $1 AND l.code LIKE '%' || $2`,
      [account.environmentId, decided.subFamily],
    );
    await account.decide(rows[0]!.entry_id, 'link', [[id, 25_50n]]);
    expect(await paid(account)).toEqual([[id, '2550']]);
    // A corrected statement does not have the line.
    await upload(
      account,
      lines.filter((line) => line !== decided),
      {
        ...{ sequence: 7, openingCents: 0n, madeAt: '2026-11-22T01:00:00' },
      },
    );
    await remove(account, file);
    expect(await paid(account)).toEqual([]);
    expect(await questionsOf(account)).toHaveLength(1);
  }
});

test('a decision does not move to a payment that existed beside its own one', async () => {
  const account = await newAccount();
  const part = (at: number): Line => ({ ...unknown, text: `donor ${at}` });
  const file = await upload(account, [part(1), part(2)]);
  const [first = ''] = await account.linesOf(25_50n);
  await account.decide(first, 'link', [[id, 25_50n]]);
  const { rows } = await database.admin.query<{ number: number }>(
    'SELECT number FROM line_outcomes WHERE environment_id = $1 AND entry_id = $2',
    [account.environmentId, first],
  );
  await upload(account, [part(3 - rows[0]!.number)], { from: nextDay });
  await remove(account, file);
  expect(await paid(account)).toEqual([]);
  expect(await questionsOf(account)).toHaveLength(1);
});

test('a decision about a line without a reference follows a change of its code on its day', async () => {
  const account = await newAccount();
  const line: Line = { cents: 25_50n, text: 'a gift' };
  const file = await upload(account, [{ ...line, subFamily: 'ESCT' }]);
  const [entryId = ''] = await account.linesOf(25_50n);
  await account.decide(entryId, 'link', [[id, 25_50n]]);
  await upload(account, [{ ...line, subFamily: 'DMCT' }], { sequence: 8 });
  await remove(account, file);
  expect(await paid(account)).toEqual([[id, '2550']]);
});

test('ignoring a line that is not booked does not ignore the booked one', async () => {
  const account = await newAccount();
  await upload(account, [{ ...unknown, status: 'PDNG', id }]);
  const [entryId = ''] = await account.linesOf(25_50n);
  await account.decide(entryId, 'ignore');
  await upload(account, [{ ...unknown, id, date: nextDay }], { from: nextDay });
  expect(await paid(account)).toEqual([[id, '2550']]);
});
