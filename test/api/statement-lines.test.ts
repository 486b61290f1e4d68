import { randomUUID } from 'node:crypto';

import { readStatementFile } from '@contribution-service/bank-files';

import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import { createAccountDaysStore } from '../../src/features/bank-statements/days/account-days.store';
import { createDayLinesStore } from '../../src/features/bank-statements/days/day-lines.store';
import { bucketsIn, allBuckets } from '../../src/features/bank-statements/days/buckets';
import { createSearch } from '../../src/features/bank-statements/reading/search-ids';
import { readStatement } from '../../src/features/bank-statements/rules/reading/read-statement';
import type { StatementLine } from '../../src/features/bank-statements/rules/reading/statement';
import {
  createNumbering,
  type NumberedLine,
} from '../../src/features/bank-statements/statements/number-equal-lines';
import { createStatementLinesStore } from '../../src/features/bank-statements/statements/statement-lines.store';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { addStatementAccount } from '../support/statement-accounts';
import { type Line, statementFile, type StatementForm } from '../support/statement-files';

let database: TestDatabase;
let pool: Database;
let store: ReturnType<typeof createStatementLinesStore>;
let days: ReturnType<typeof createAccountDaysStore>;
let lines: ReturnType<typeof createDayLinesStore>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createOperatorDatabase(database.url);
  store = createStatementLinesStore(pool);
  days = createAccountDaysStore(pool);
  lines = createDayLinesStore(pool);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

interface Account {
  environmentId: number;
  accountId: string;
}

const now = new Date('2026-11-20T00:00:00Z');

/** Reads the only statement of a file. */
function read(lines: readonly Line[], form: StatementForm, statementId: string = randomUUID()) {
  const { format, statements } = readStatementFile(Buffer.from(statementFile(lines, form)));
  const given = { statementId, format, hasProblems: false, uploadedOn: '2026-11-20' };
  const search = createSearch({ tags: new Set(), now });
  const reading = readStatement(statements[0]!, { ...given, search });
  const numbered = [...reading.lines].map(createNumbering());
  return { ...reading.end(), lines: numbered };
}

function withoutOccurrence(numbered: NumberedLine): StatementLine {
  const { occurrence, ...line } = numbered;
  expect(occurrence).toBeGreaterThan(0);
  return line;
}

async function upload({ environmentId, accountId }: Account, file: ReturnType<typeof read>) {
  const fileId = randomUUID();
  const { head, days: stated, lines } = file;
  await store.addLines(environmentId, accountId, lines);
  await store.publish(environmentId, [{ fileId, accountId, head, days: stated }]);
  return fileId;
}

const daysWithWork = async ({ environmentId }: Account): Promise<string[]> => {
  const { rows } = await database.admin.query<{ day: string }>(
    'SELECT day::text FROM account_days WHERE environment_id = $1 AND has_work ORDER BY day',
    [environmentId],
  );
  return rows.map(({ day }) => day);
};

const entries: Line[] = [
  { cents: 25_00n, date: '2026-11-02', reference: 'REF-0001', id: 'ABCD00000000000', chargesCents: 50n },
  { cents: 7_00n, date: '2026-11-03', direction: 'debit', text: 'rent' },
  { cents: 7_00n, date: '2026-11-03', direction: 'debit', text: 'rent' },
  { cents: 1_00n, date: '2026-11-05', reference: 'REF-0002', text: 'outside' },
];
const form: StatementForm = { from: '2026-11-02', to: '2026-11-04', openingCents: 100_00n, sequence: 7 };

test('a statement comes back from the database as it was read', async () => {
  const account = await addStatementAccount(database.admin);
  const { environmentId, accountId } = account;
  const file = read(entries, form);
  await upload(account, file);
  expect(file.days.map(({ day }) => day)).toEqual(['2026-11-02', '2026-11-03', '2026-11-04']);
  for (const stated of file.days) {
    const [stored, ...others] = await store.daysOf(environmentId, accountId, stated.day);
    expect(others).toEqual([]);
    expect(stored).toEqual(stated);
    const ofDay = file.lines.filter(({ day }) => day === stated.day).map(withoutOccurrence);
    const { statementId } = file.head;
    const ids = [statementId];
    const found = await lines.linesIn({ ...account, day: stated.day }, bucketsIn(allBuckets));
    const { digest, format, isFinal } = file.head;
    expect(found.map(({ exception, ...line }) => [line, exception])).toEqual(
      ofDay.map((line) => [
        { ...line, statement: { digest, format, isFinal }, bucket: expect.any(Number), series: 0 },
        null,
      ]),
    );
    expect(await lines.linesIn({ ...account, day: stated.day }, [])).toEqual([]);
    expect(await store.linesToCompare(environmentId, accountId, stated.day, ids)).toEqual(
      ofDay.map(({ direction, cents, reference, problem, isPart, content, number, ids: found }) => ({
        ...{ statementId, number, direction, cents, reference, ids: found, problem, isPart, content },
      })),
    );
  }
});

test('lines count for nothing before the statement is published, which queues its days', async () => {
  const account = await addStatementAccount(database.admin);
  const { environmentId, accountId } = account;
  const { head, days: stated, lines: read1 } = read(entries, form);
  await store.addLines(environmentId, accountId, read1);
  expect(await store.daysOf(environmentId, accountId, '2026-11-02')).toEqual([]);
  expect(await daysWithWork(account)).toEqual([]);
  const statement = { fileId: randomUUID(), accountId, head, days: stated };
  await store.publish(environmentId, [statement]);
  expect(await daysWithWork(account)).toEqual(['2026-11-02', '2026-11-03', '2026-11-04']);
  // An upload that was interrupted after this is repeated.
  await store.addLines(environmentId, accountId, read1);
  await store.publish(environmentId, [statement]);
  expect(await store.daysOf(environmentId, accountId, '2026-11-02')).toHaveLength(1);
  const all = await lines.linesIn({ ...account, day: '2026-11-03' }, bucketsIn(allBuckets));
  expect(all.map(({ number }) => number)).toEqual([2, 3]);
});

test('a void takes the statements of one file away and queues their days', async () => {
  const account = await addStatementAccount(database.admin);
  const { environmentId, accountId } = account;
  const fileId = await upload(account, read(entries, form));
  await upload(account, read(entries.slice(0, 1), { from: '2026-11-02', openingCents: 0n }));
  for (const day of ['2026-11-02', '2026-11-03', '2026-11-04']) {
    const claimed = (await days.claim({ ...account, day }))!;
    await days.choose(claimed, undefined);
    await days.spread(claimed, bucketsIn(allBuckets));
    await days.putChunk(claimed, bucketsIn(allBuckets), [], []);
    await days.finish(claimed);
  }
  expect(await daysWithWork(account)).toEqual([]);
  expect(await store.void(environmentId, fileId, 'wrong file')).toBe(1);
  expect(await daysWithWork(account)).toEqual(['2026-11-02', '2026-11-03', '2026-11-04']);
  expect(await store.daysOf(environmentId, accountId, '2026-11-02')).toHaveLength(1);
  expect(await store.daysOf(environmentId, accountId, '2026-11-03')).toEqual([]);
  expect(await store.void(environmentId, fileId, 'wrong file')).toBe(0);
});

test('concurrent uploads and voids of the same days all succeed', async () => {
  const account = await addStatementAccount(database.admin);
  const { environmentId, accountId } = account;
  const files = Array.from({ length: 8 }, (_, at) =>
    read(at % 2 === 0 ? entries : [...entries].reverse(), { ...form, sequence: at }),
  );
  const uploaded = await Promise.all(files.map((file) => upload(account, file)));
  const voided = uploaded.slice(0, 4).map((fileId) => store.void(environmentId, fileId, 'wrong file'));
  const more = files.slice(0, 2).map(() => upload(account, read(entries, form)));
  expect(await Promise.all(voided)).toEqual([1, 1, 1, 1]);
  await Promise.all(more);
  expect(await store.daysOf(environmentId, accountId, '2026-11-03')).toHaveLength(6);
});
