import { randomUUID } from 'node:crypto';

import { type CsvMapping } from '@contribution-service/bank-files';

import { createUploadCheck } from '../../src/features/bank-statements/uploads/check-upload';
import { createStatementReading } from '../../src/features/bank-statements/reading/statement-reading';
import { createAccountNumbersStore } from '../../src/features/bank-statements/accounts/account-numbers.store';
import { createKnownAccountsStore } from '../../src/features/bank-statements/accounts/known-accounts.store';
import { createStatementAccounts } from '../../src/features/bank-statements/statements/statement-accounts';
import type { UploadOptions } from '../../src/features/bank-statements/uploads/statement-upload';
import { generateTransactionId } from '../../src/shared/transaction-id';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { accountNumber, bai2Of, now } from '../support/files-to-read';
import { statementFile } from '../support/statement-files';
import { addCompany, peppersOf, rowOf, uploadsOf, type UploadsInTest } from '../support/uploads';

/** Files become statements of their accounts, or are rejected as a whole. */
let database: TestDatabase;
let environmentId: number;
let uploads: UploadsInTest;

const peppers = peppersOf('the pepper of these tests');
const query = (sql: string, values: unknown[] = []) => database.admin.query(sql, values);
const hasEnded = (uploadId: string) => async () =>
  ['read', 'rejected', 'failed', 'voided'].includes((await rowOf(database, uploadId))?.state ?? '');

async function upload(file: string, options: UploadOptions = {}): Promise<string> {
  const uploadId = await uploads.receive(environmentId, file, options);
  await uploads.readUntil(hasEnded(uploadId), uploads.publish);
  return uploadId;
}

const find = (uploadId: string) => uploads.service.find({ environmentId, uploadId });

async function counts(): Promise<Record<string, number>> {
  const { rows } = await query(
    `SELECT (SELECT count(*) FROM bank_statements WHERE environment_id = $1 AND voided_at IS NULL)::integer AS statements,
            (SELECT count(*) FROM statement_days WHERE environment_id = $1)::integer AS days,
            (SELECT count(*) FROM account_days WHERE environment_id = $1 AND has_work)::integer AS queued,
            (SELECT count(*) FROM statement_lines WHERE environment_id = $1)::integer AS lines,
            (SELECT count(*) FROM statement_accounts WHERE environment_id = $1)::integer AS accounts`,
    [environmentId],
  );
  return rows[0] as Record<string, number>;
}

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  environmentId = await addCompany(database);
  uploads = uploadsOf(database, peppers);
});
afterEach(() => uploads.close());

/** A file with one statement of each account. */
const camtOf = (...accounts: readonly string[]): string => {
  const files = accounts.map((account, at) =>
    statementFile([{ cents: 10_00n, date: '2026-11-20', text: `line ${at}` }], {
      ...{ account, from: '2026-11-20', to: '2026-11-21', sequence: at + 1 },
    }),
  );
  const statements = files.map((file) => /<Stmt>[\s\S]*<\/Stmt>/.exec(file)![0]);
  return files[0]!.replace(/<Stmt>[\s\S]*<\/Stmt>/, statements.join('\n'));
};

test('a file of several accounts counts with all of its statements, and says what it was', async () => {
  const uploadId = await upload(camtOf('ACCOUNT-1', 'ACCOUNT-2', 'ACCOUNT-1'));
  expect(await find(uploadId)).toMatchObject({
    ...{ state: 'read', format: 'camt.053', version: '08', statementCount: 3, readLines: 3, problems: [] },
    ...{ voidedAt: null, voidReason: null },
  });
  expect(await counts()).toEqual({ statements: 3, days: 6, queued: 4, lines: 3, accounts: 2 });
  expect((await rowOf(database, uploadId))?.chunks).toBe(0);
});

test('later files find the account, under an earlier pepper too, and another environment has its own', async () => {
  await upload(camtOf('0012345'));
  const rotated = uploadsOf(database, new Map([...peppers, [2, Buffer.from('the next pepper')]]));
  const next = await rotated.receive(environmentId, camtOf('0012345', '12345'));
  await rotated.readUntil(hasEnded(next), rotated.publish);
  await rotated.close();
  expect(await counts()).toMatchObject({ statements: 3, accounts: 1 });
  environmentId = await addCompany(database);
  await upload(camtOf('0012345'));
  expect(await counts()).toMatchObject({ statements: 1, accounts: 1 });
});

test('the problems of a file are kept, at most 100', async () => {
  const wrong = bai2Of(['text']).replace(/^49,2,3/m, '49,7,3');
  const uploadId = await upload(wrong);
  expect((await find(uploadId))?.problems).toEqual([
    { line: expect.any(Number) as number, message: expect.any(String) as string },
  ]);
});

const csv: CsvMapping = {
  ...{ date: 'Date', date_format: 'YYYY-MM-DD', amount: 'Amount', decimal: '.', delimiter: ',' },
  texts: ['Text'],
};
const csvFile = (...columns: [header: string, cells: string[]][]): string =>
  [0, 1, 2]
    .map((line) =>
      [
        ['Date', '2026-11-20', '2026-11-21'][line],
        ['Amount', '1.00', '2.00'][line],
        ['Text', 'one', 'two'][line],
        ...columns.map(([header, cells]) => [header, ...cells][line]),
      ].join(','),
    )
    .join('\n');

type Refusal = [what: string, file: string, options: UploadOptions, reason: string];
test.each<Refusal>([
  [
    'a file without an account number',
    csvFile(),
    { mapping: csv },
    'The file states no account number. Send `account` with your own name for the account.',
  ],
  [
    'a name for an account that the file states',
    camtOf('ACCOUNT-1'),
    { account: 'main' },
    'The file states its account number. Omit account.',
  ],
  [
    'a column that looks like a direction',
    csvFile(['Type', ['Credit', 'Debit']]),
    { account: 'main', mapping: csv },
    'The column "Type" (Credit, Debit) looks like a direction. Map it with `direction`, or list it in `ignore`.',
  ],
  [
    'a column that looks like a status',
    csvFile(['Status', ['Completed', 'Pending']]),
    { account: 'main', mapping: csv },
    'The column "Status" (Completed, Pending) looks like a status. Map it with `status`, or list it in `ignore`.',
  ],
  [
    'a column that looks like a fee',
    csvFile(['Fee', ['0.10', '0.20']]),
    { account: 'main', mapping: csv },
    'The column "Fee" looks like a fee. Map it with `fee`, or list it in `ignore`.',
  ],
])('%s is rejected, and nothing is stored', async (_what, file, options, reason) => {
  const uploadId = await upload(file, options);
  expect(await find(uploadId)).toMatchObject({ state: 'rejected', reason, format: null });
  expect(await counts()).toEqual({ statements: 0, days: 0, queued: 0, lines: 0, accounts: 0 });
});

test('a column that a person ignores is no question', async () => {
  const options = { account: 'main', mapping: { ...csv, ignore: ['Fee'] } };
  const uploadId = await upload(csvFile(['Fee', ['0.10', '0.20']]), options);
  expect(await find(uploadId)).toMatchObject({ state: 'read', format: 'csv', statementCount: 1 });
});

test('another direction than that of a known account is rejected, before a new account is created', async () => {
  await upload(camtOf('ACCOUNT-1'), { direction: 'debit' });
  const uploadId = await upload(camtOf('ACCOUNT-9', 'ACCOUNT-1'), { direction: 'credit' });
  const { rows } = await query('SELECT account_id FROM statement_accounts WHERE environment_id = $1', [
    environmentId,
  ]);
  const [{ account_id: accountId }] = rows as [{ account_id: string }];
  expect(await find(uploadId)).toMatchObject({
    state: 'rejected',
    reason: `The account ${accountId} has the direction debit. Omit direction, or change the account.`,
  });
  expect(await counts()).toMatchObject({ statements: 1, accounts: 1 });
  await upload(camtOf('ACCOUNT-1', 'ACCOUNT-9'));
  expect(await counts()).toMatchObject({ statements: 3, accounts: 2 });
});

test('two files that create the same account with two directions: one of them is rejected', async () => {
  const store = createKnownAccountsStore(uploads.database);
  const accounts = createStatementAccounts({
    store,
    numbers: createAccountNumbersStore(uploads.database),
    peppers,
  });
  const stated = { accountNumber: 'ACCOUNT-7', accountEnding: 'NT-7', currency: 'USD' };
  const both = await Promise.allSettled(
    (['credit', 'debit'] as const).map((direction) =>
      accounts.findOrCreate(environmentId, stated, { direction }),
    ),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('files under a further number of an account belong to the account', async () => {
  const numbers = createAccountNumbersStore(uploads.database);
  await upload(camtOf('ACCOUNT-1'));
  const wrong = await upload(camtOf('ACCOUNT-2'));
  const { rows: accounts } = await query(
    'SELECT account_id FROM statement_accounts WHERE environment_id = $1 ORDER BY created_at',
    [environmentId],
  );
  const [accountId = '', otherId = ''] = accounts.map((row: { account_id: string }) => row.account_id);
  const add = () =>
    numbers.add(environmentId, { accountId, otherId }, { reason: 'renumbered', decidedBy: 'k' });
  expect(await add()).toBe('has_statements');
  await uploads.service.void({ environmentId, uploadId: wrong }, 'under its new number');
  expect(await add()).toBe('added');
  await upload(camtOf('ACCOUNT-2'));
  const { rows } = await query(
    'SELECT DISTINCT account_id FROM bank_statements WHERE environment_id = $1 AND voided_at IS NULL',
    [environmentId],
  );
  expect(rows.map((row: { account_id: string }) => row.account_id)).toEqual([accountId]);
});

test('a voided file counts no more, keeps its first reason, and can be sent again', async () => {
  const file = camtOf('ACCOUNT-1');
  const uploadId = await upload(file);
  const upload1 = { environmentId, uploadId };
  await query('UPDATE account_days SET is_changed = false WHERE environment_id = $1', [environmentId]);
  expect(await uploads.service.void(upload1, 'wrong bank')).toMatchObject({
    ...{ state: 'voided', voidReason: 'wrong bank', voidedAt: expect.any(Date) as Date, statementCount: 1 },
  });
  expect(await counts()).toMatchObject({ statements: 0, queued: 2 });
  expect(await uploads.service.void(upload1, 'another reason')).toMatchObject({ voidReason: 'wrong bank' });
  const again = await upload(file);
  expect(again).not.toBe(uploadId);
  expect(await counts()).toMatchObject({ statements: 1, accounts: 1 });
  expect(await uploads.service.void({ environmentId, uploadId: randomUUID() }, 'unknown')).toBeUndefined();
  const other = await addCompany(database);
  expect(await uploads.service.void({ environmentId: other, uploadId: again }, 'of others')).toBeUndefined();
  expect(await counts()).toMatchObject({ statements: 1 });
});

test('a rejected upload cannot be voided', async () => {
  const uploadId = await upload(camtOf('ACCOUNT-1'), { account: 'main' });
  const voided = await uploads.service.void({ environmentId, uploadId }, 'wrong file');
  expect(voided).toMatchObject({ state: 'rejected', voidedAt: null, voidReason: null });
});

test('an upload that waits can be voided: nobody reads it', async () => {
  const uploadId = await uploads.receive(environmentId, camtOf('ACCOUNT-1'));
  await uploads.service.void({ environmentId, uploadId }, 'wrong file');
  expect(await rowOf(database, uploadId)).toMatchObject({ state: 'voided', chunks: 0 });
  const next = await upload(camtOf('ACCOUNT-2'));
  expect(await rowOf(database, next)).toMatchObject({ state: 'read' });
  expect(await rowOf(database, uploadId)).toMatchObject({ state: 'voided', attempts: 0 });
});

test.each(['before its lines', 'after its lines'])(
  'an upload that is voided %s, while it is being read, publishes nothing',
  async (when) => {
    const uploadId = await uploads.receive(environmentId, camtOf('ACCOUNT-1', 'ACCOUNT-2'));
    const results: boolean[] = [];
    await uploads.readUntil(
      () => Promise.resolve(results.length > 0),
      async (given) => {
        async function* parts() {
          if (when === 'before its lines') await voidIt();
          yield* given.parts;
          if (when === 'after its lines') await voidIt();
        }
        const isPublished = await uploads.publish({ ...given, parts: parts() });
        results.push(isPublished);
        return isPublished;
      },
    );
    async function voidIt() {
      await uploads.service.void({ environmentId, uploadId }, 'wrong file');
    }
    expect(results).toEqual([false]);
    expect(await find(uploadId)).toMatchObject({ state: 'voided', voidReason: 'wrong file', format: null });
    expect(await counts()).toMatchObject({ statements: 0, days: 0, queued: 0 });
    expect((await rowOf(database, uploadId))?.chunks).toBe(0);
  },
);

test('a void and the end of the reading at the same time: afterwards, nothing counts', async () => {
  for (let round = 0; round < 8; round += 1) {
    const uploadId = await uploads.receive(environmentId, camtOf(`ACCOUNT-${round}`, `OTHER-${round}`));
    let isDone = false;
    await uploads.readUntil(
      () => Promise.resolve(isDone),
      async (given) => {
        const [isPublished] = await Promise.all([
          uploads.publish(given),
          new Promise((resolve) => setTimeout(resolve, round * 3)).then(() =>
            uploads.service.void({ environmentId, uploadId }, 'wrong file'),
          ),
        ]);
        isDone = true;
        return isPublished;
      },
    );
    expect((await rowOf(database, uploadId))?.state).toBe('voided');
    expect(await counts()).toMatchObject({ statements: 0 });
  }
});

test('uploads are listed with the newest first, in pages, without incomplete ones', async () => {
  const ids: string[] = [];
  for (const account of ['A-1', 'A-2', 'A-3']) ids.unshift(await upload(camtOf(`ACCOUNT-${account}`)));
  await uploads.store.create({
    ...{ environmentId, uploadId: randomUUID(), optionsHmac: Buffer.alloc(32), pepperVersion: 1 },
  });
  const pages = [undefined, ids[1]].map((before) => uploads.service.list(environmentId, before, 2));
  const [first, second] = await Promise.all(pages);
  expect(first!.map(({ uploadId }) => uploadId)).toEqual(ids.slice(0, 2));
  expect(second!.map(({ uploadId }) => uploadId)).toEqual(ids.slice(2));
  expect(second![0]).toMatchObject({ state: 'read', format: 'camt.053', statementCount: 1 });
  expect(await uploads.service.list(await addCompany(database), undefined, 10)).toEqual([]);
});

test('an account number is in no row and no log line', async () => {
  await upload(bai2Of(['text']));
  for (const table of ['statement_uploads', 'statement_accounts', 'bank_statements', 'statement_lines']) {
    const { rows } = await query(`SELECT t::text AS text FROM ${table} t WHERE environment_id = $1`, [
      environmentId,
    ]);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(accountNumber);
  }
  expect(uploads.log.join('')).not.toContain(accountNumber);
});

describe('a dry run', () => {
  const own = generateTransactionId('ABC1', now);
  const anothers = generateTransactionId('XY99', now);
  const check = (file: string, options: UploadOptions = {}) =>
    createUploadCheck({
      reading: createStatementReading(),
      accounts: createStatementAccounts({
        store: createKnownAccountsStore(uploads.database),
        numbers: createAccountNumbersStore(uploads.database),
        peppers,
      }),
      tagsOf: () => Promise.resolve(new Set(['ABC1', 'XY99'])),
      visibleTagsOf: () => Promise.resolve(new Set(['ABC1'])),
      companyOf: () => Promise.resolve(randomUUID()),
      clock: { now: () => now },
    }).check(environmentId, Buffer.from(file), options, () => false);

  test('gives the accounts, the outcomes and the problems, and stores nothing', async () => {
    await upload(camtOf('ACCOUNT-1'));
    const before = await counts();
    const lines = [{ cents: 1_00n, id: own }, { cents: 1_00n, text: `x${anothers}` }, { cents: 1_00n }];
    const file = statementFile([...lines, { cents: 1_00n, status: 'PDNG' }], { account: 'ACCOUNT-1' });
    expect(await check(file)).toMatchObject({
      ...{ format: 'camt.053', version: '08', problems: [], csv: undefined },
      accounts: [{ accountId: expect.any(String) as string, ending: 'NT-1', currency: 'USD' }],
      outcomes: { found: 1, no_reference: 2, not_booked: 1, unreadable: 0 },
    });
    expect((await check(camtOf('ACCOUNT-2'))).accounts).toMatchObject([{ accountId: null }]);
    expect(await counts()).toEqual(before);
    expect(
      (await query('SELECT FROM statement_uploads WHERE environment_id = $1', [environmentId])).rowCount,
    ).toBe(1);
  });

  test('shows the questions of a CSV file, and refuses what an upload refuses', async () => {
    const options = { account: 'main', mapping: csv };
    const { csv: reading } = await check(csvFile(['Fee', ['0.10', '0.20']]), options);
    expect(reading?.questions).toEqual([{ column: 'Fee', looksLike: 'fee', values: [] }]);
    await expect(check(csvFile(), { mapping: csv })).rejects.toThrow('The file states no account number.');
    await upload(camtOf('ACCOUNT-1'));
    await expect(check(camtOf('ACCOUNT-1'), { direction: 'debit' })).rejects.toThrow('direction credit');
  });
});
