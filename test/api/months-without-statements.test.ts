import { randomUUID } from 'node:crypto';

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
const gift: Line = { cents: 25_50n, id: ids[0]!, reference: 'REF-0001', date: '2026-11-20' };
const november = { from: '2026-11-01', to: '2026-11-30', openingCents: 100_00n };

const kinds = async ({ months, environmentId }: DecidedAccount, without: string[] = []) =>
  (await months.canClose(environmentId, month, without)).reasons.map(
    ({ kind, from, to }) => `${kind} ${from} ${to}`,
  );
const close = ({ months, principal }: DecidedAccount, without: string[] = []) =>
  months.close(principal, month, { reason: 'all is booked', without });
const reopen = ({ months, principal }: DecidedAccount) =>
  months.reopen(principal, month, { reason: 'the bank corrected it' });

async function withFiles(...files: string[]): Promise<DecidedAccount> {
  const account = await createDecidedAccount(database.admin, pool);
  for (const file of files) await account.stored.upload(file);
  await account.stored.work();
  return account;
}

test('a month in which nobody uploaded anything is not closed', async () => {
  const account = await withFiles();
  expect(await kinds(account)).toEqual(['no_statements 2026-11-01 2026-11-30']);
  expect((await close(account)).outcome).toBe('not_ready');
  const later = await withFiles(statementFile([], { from: '2026-12-10' }));
  expect(await kinds(later)).toEqual(['no_statements 2026-11-01 2026-11-30']);
  expect((await close(later, [later.accountId])).outcome).toBe('closed');
});

describe('a month with only notifications', () => {
  const notice = statementFile([gift], { kind: '054', from: '2026-11-20' });
  const named = 'no_statements 2026-11-01 2026-11-30';

  test('is closed only if a person says that it has no statements', async () => {
    const account = await withFiles(notice);
    expect(await kinds(account)).toEqual([named]);
    expect((await close(account)).outcome).toBe('not_ready');
    expect((await close(account, [account.accountId])).outcome).toBe('closed');
  });

  test('says so if the account starts later', async () => {
    expect(await kinds(await withFiles(notice, statementFile([], { from: '2026-12-10' })))).toEqual([named]);
  });

  test('asks about statements that come after it was closed, which add no money', async () => {
    const account = await withFiles(notice);
    await close(account, [account.accountId]);
    const { money } = await account.stored.seen();
    await account.stored.upload(statementFile([gift, { ...gift, reference: 'REF-0009' }], november));
    await account.stored.work();
    expect((await account.stored.seen()).money).toEqual(money);
    const { rows } = await database.admin.query<{ kind: string }>(
      `SELECT DISTINCT question ->> 'kind' AS kind FROM account_days WHERE environment_id = $1`,
      [account.environmentId],
    );
    expect(rows).toContainEqual({ kind: 'changed_after_close' });
  });

  test('is as empty as before if the file was voided', async () => {
    const account = await createDecidedAccount(database.admin, pool);
    const file = await account.stored.upload(notice);
    await account.stored.work();
    await account.stored.void(file);
    await account.stored.work();
    expect(await kinds(account)).toEqual([named]);
    expect(await kinds(account, [account.accountId])).toEqual([]);
  });
});

describe('an account that a person names', () => {
  const october = statementFile([], { from: '2026-10-30', openingCents: 100_00n });
  const december = (openingCents: bigint) => statementFile([], { from: '2026-12-01', openingCents });

  test('may end within the month', async () => {
    const account = await withFiles(
      statementFile([], { ...november, to: '2026-11-17' }),
      statementFile([], { from: '2026-11-19', openingCents: 100_00n }),
    );
    const { accountId } = account;
    expect(await kinds(account, [accountId])).toEqual(['days_missing 2026-11-18 2026-11-18']);
    expect(await kinds(account)).toContain('days_missing 2026-11-27 2026-11-27');
  });

  test('keeps the month open if balances show that its statements are missing', async () => {
    const moved = await withFiles(october, december(200_00n));
    expect(await kinds(moved, [moved.accountId])).toEqual(['does_not_follow 2026-12-01 2026-12-01']);
    const still = await withFiles(october, december(100_00n));
    expect(await kinds(still, [still.accountId])).toEqual([]);
    const ended = await withFiles(statementFile([], { ...november, to: '2026-11-17' }), december(200_00n));
    expect(await kinds(ended, [ended.accountId])).toEqual(['does_not_follow 2026-12-01 2026-12-01']);
    const gap = { kind: 'accept' as const, gap: '2026-10-30 10000 20000', reason: 'a new owner' };
    const asked = { accountId: moved.accountId, day: '2026-12-01' };
    expect(await moved.answers.answer(moved.principal, asked, gap)).toBe('answered');
    expect(await kinds(moved, [moved.accountId])).toEqual([]);
  });
});

test('a decision about a notification keeps the month open if a statement without balances came later', async () => {
  const { cents, date } = gift;
  const account = await withFiles(
    statementFile([{ cents, id: ids[0]!, date: date! }], { kind: '054', from: date! }),
  );
  const upload = async (line: Line): Promise<void> => {
    const file = statementFile([line], november).replace(/<Bal>.*?<\/Bal>/g, '');
    const fileId = await account.stored.upload(file);
    await database.admin.query(
      `INSERT INTO statement_uploads
         (environment_id, upload_id, state, options_hmac, pepper_version, sha256, byte_count, chunk_count,
          next_attempt_at, ended_at, format, statement_count)
       VALUES ($1, $2, 'read', '\\x00', 1, '\\x01', 1, 1, now(), now(), 'camt.053', 1)`,
      [account.environmentId, fileId],
    );
    await account.stored.work();
  };
  const [entry = ''] = await account.linesOf(cents);
  const link = () => account.decide(entry, 'link', [[ids[0]!, cents]]);
  await link();
  await upload(gift);
  expect(await kinds(account)).toEqual(['reported_lines 2026-11-20 2026-11-20']);
  expect((await close(account)).outcome).toBe('not_ready');
  // A person has seen the statement, and it is another payment.
  await account.decide(entry, 'undo');
  await account.decide(entry, 'link', [[ids[0]!, cents]], { seen: 2 });
  expect(await kinds(account)).toEqual([]);
  expect((await account.stored.seen()).money).toMatchObject([{ paid: '5100' }]);
  await account.decide(entry, 'ignore');
  expect((await close(account)).outcome).toBe('closed');
});

test('a month stays open while an upload is not read', async () => {
  const account = await withFiles(statementFile([gift], november));
  const { environmentId } = account;
  const { seen } = await account.months.canClose(environmentId, month);
  await database.admin.query(
    `INSERT INTO statement_uploads
       (environment_id, upload_id, state, options_hmac, pepper_version, sha256, byte_count, chunk_count, next_attempt_at)
     VALUES ($1, $2, 'received', '\\x00', 1, '\\x00', 1, 1, now())`,
    [environmentId, randomUUID()],
  );
  expect(await kinds(account)).toEqual(['upload_in_progress 2026-11-01 2026-11-30']);
  expect((await close(account)).outcome).toBe('not_ready');
  // An upload may begin after the check.
  const given = { reason: 'r', closedBy: 'k', seen };
  const store = createMonthsStore(pool);
  expect(await store.close(environmentId, `${month}-01`, given)).toBe('changed_meanwhile');
  await database.admin.query('DELETE FROM statement_uploads WHERE environment_id = $1', [environmentId]);
  expect((await close(account)).outcome).toBe('closed');
});

test('a repeated closing or reopening succeeds, also after later statements', async () => {
  const account = await withFiles(statementFile([gift], november));
  expect(await reopen(account)).toBe('not_closed');
  expect((await close(account)).outcome).toBe('closed');
  await account.stored.upload(statementFile([{ ...gift, cents: 1n }], november));
  await account.stored.work();
  expect((await close(account)).outcome).toBe('already_closed');
  expect(await reopen(account)).toBe('reopened');
  expect(await reopen(account)).toBe('already_open');
  const { changes } = await account.months.show(account.environmentId, month);
  expect(changes.map(({ kind }) => kind)).toEqual(['reopened', 'closed']);
});
