import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import { createTestDatabase, type TestDatabase } from '../support/database';
import { build, root } from '../support/program';
import { until } from '../support/until';
import { bai2Of } from '../support/files-to-read';
import { addCompany, peppersOf, rowOf, uploadsOf, type UploadsInTest } from '../support/uploads';

/** Kills processes with SIGKILL in each state of an upload, and runs processes side by side. */
let database: TestDatabase;
let uploads: UploadsInTest;
let environmentId: number;

class UploadProcess {
  output = '';
  private constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (data: Buffer) => (this.output += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (this.output += data.toString()));
  }
  static start(mode: string, ...given: string[]): UploadProcess {
    const program = path.join(root, 'test/support/upload-process.cjs');
    return new UploadProcess(spawn(process.execPath, [program, mode, database.url, ...given]));
  }
  says = (word: string, times = 1): Promise<void> =>
    until(`the process says ${word}: ${this.output}`, () => this.count(word) >= times);
  count = (word: string): number => this.output.split('\n').filter((line) => line.startsWith(word)).length;
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}

const started: UploadProcess[] = [];
const start = (...given: Parameters<typeof UploadProcess.start>): UploadProcess => {
  const one = UploadProcess.start(...given);
  started.push(one);
  return one;
};
const query = (sql: string, values: unknown[] = []) => database.admin.query(sql, values);
const row = (uploadId: string) => rowOf(database, uploadId);
const isRead = (uploadId: string) => async () => (await row(uploadId))?.state === 'read';
const expireClaims = () =>
  query(
    `UPDATE statement_uploads SET claimed_until = clock_timestamp() - interval '1 second' WHERE state = 'reading'`,
  );
/** The stored lines of an environment, without what every upload has of its own. */
const storedLines = async (environment: number): Promise<number> => {
  const { rows } = await database.admin.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM statement_lines WHERE environment_id = $1',
    [environment],
  );
  return rows[0]!.count;
};
/** The lines that count, without what differs between accounts. */
const linesOf = async (environment: number): Promise<unknown[]> => {
  const { rows } = await database.admin.query<{ line: unknown }>(
    `SELECT to_jsonb(l) - '{environment_id,statement_id,account_id,money_hash,batch_hash}'::text[] AS line
       FROM statement_lines l JOIN bank_statements s USING (environment_id, statement_id)
      WHERE environment_id = $1 ORDER BY l.day, l.reference, l.number`,
    [environment],
  );
  return rows;
};
/** What counts in an environment. */
const countedIn = async (environment: number): Promise<unknown> => {
  const { rows } = await query(
    `SELECT (SELECT count(*) FROM bank_statements WHERE environment_id = $1)::integer AS statements,
            (SELECT count(*) FROM statement_days WHERE environment_id = $1)::integer AS days,
            (SELECT count(*) FROM account_days WHERE environment_id = $1)::integer AS queued`,
    [environment],
  );
  return rows[0];
};
const nothing = { statements: 0, days: 0, queued: 0 };

let count = 0;
const file = (lines = 3_000): string => bai2Of(Array.from({ length: lines }, () => `text ${(count += 1)}`));

beforeAll(async () => {
  await build();
  database = await createTestDatabase();
  uploads = uploadsOf(database, peppersOf('the pepper of these tests'));
});
beforeEach(async () => {
  environmentId = await addCompany(database);
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.kill()));
});
afterAll(async () => {
  await uploads.close();
  await database.drop();
});

test('killed while it receives, a process leaves an upload that nobody reads and that ends', async () => {
  const killed = start('receive', String(environmentId));
  await killed.says('sent');
  await killed.kill();
  const { rows } = await query('SELECT upload_id, state FROM statement_uploads');
  const [{ upload_id: uploadId, state }] = rows as [{ upload_id: string; state: string }];
  expect(state).toBe('receiving');
  expect((await row(uploadId))?.chunks).toBeGreaterThan(1);
  const other = start('read');
  const next = await uploads.receive(environmentId, file());
  await until('another upload is read', isRead(next));
  expect(await row(uploadId)).toMatchObject({ state: 'receiving', attempts: 0 });
  await query(
    `UPDATE statement_uploads SET received_at = clock_timestamp() - interval '2 hours' WHERE upload_id = $1`,
    [uploadId],
  );
  await other.kill();
  start('read');
  await until('the upload is gone', async () => (await row(uploadId)) === undefined);
});

test('killed after the response, a process loses nothing', async () => {
  const killed = start('store', String(environmentId), file());
  await killed.says('stored');
  await killed.kill();
  const { rows } = await query('SELECT upload_id FROM statement_uploads WHERE environment_id = $1', [
    environmentId,
  ]);
  const [{ upload_id: uploadId }] = rows as [{ upload_id: string }];
  start('read');
  await until('the upload is read', isRead(uploadId));
  expect(await linesOf(environmentId)).toHaveLength(3_000);
});

test('killed while it reads, a process leaves its upload to another one, which waits for the claim to expire', async () => {
  const uploadId = await uploads.receive(environmentId, file());
  const killed = start('slow');
  await killed.says('part');
  await killed.kill();
  const stored = await storedLines(environmentId);
  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(3_000);
  expect(await countedIn(environmentId)).toEqual(nothing);
  const next = start('read');
  await next.says('started');
  const other = await uploads.receive(await addCompany(database), file());
  await until('the upload of another company is read', isRead(other));
  expect(await row(uploadId)).toMatchObject({ state: 'reading', attempts: 1 });
  await expireClaims();
  await until('the upload is read', isRead(uploadId));
  expect(await row(uploadId)).toMatchObject({ attempts: 2, chunks: 0 });
  expect(await linesOf(environmentId)).toHaveLength(3_000);
});

test('killed after the last line, a process leaves nothing that counts, and after a repeat each line counts once', async () => {
  const uploadId = await uploads.receive(environmentId, file());
  const killed = start('publish');
  await killed.says('stored');
  await killed.kill();
  expect(await row(uploadId)).toMatchObject({ state: 'reading' });
  expect(await countedIn(environmentId)).toEqual(nothing);
  expect(await storedLines(environmentId)).toBe(3_000);
  await expireClaims();
  start('read');
  await until('the upload is read', isRead(uploadId));
  expect(await linesOf(environmentId)).toHaveLength(3_000);
  expect(await countedIn(environmentId)).toEqual({ statements: 1, days: 1, queued: 1 });
});

/** Two statements of two accounts. */
const twoStatements = ['ACCOUNT-1', 'ACCOUNT-2'].flatMap((account) => [
  `03,${account},USD,010,0,,,015,2,,/`,
  ...['R-1', 'R-2'].map((reference) => `16,142,1,Z,${reference},,text/`),
  '49,4,4/',
]);
const twoAccounts = [
  '01,BANK,CUSTOMER,261120,0600,1,,,2/',
  '02,CUSTOMER,BANK,1,261120,,USD,2/',
  ...twoStatements,
  '98,8,2,10/',
  '99,8,1,12/',
].join('\n');

test('killed before any of its statements, a process leaves all or nothing, and a repeat gives the same', async () => {
  const given: { environment: number; uploadId: string }[] = [];
  const all = { statements: 2, days: 2, queued: 2 };
  for (let isComplete = false; !isComplete;) {
    const environment = await addCompany(database);
    const uploadId = await uploads.receive(environment, twoAccounts);
    given.push({ environment, uploadId });
    const killed = start('kill', String(given.length));
    const isKilled = (): boolean => killed.child.signalCode !== null;
    await until('the process ends or publishes', async () => isKilled() || isRead(uploadId)());
    isComplete = await isRead(uploadId)();
    expect(await countedIn(environment)).toEqual(isComplete ? all : nothing);
    await killed.kill();
  }
  // The claim, the chunks, the accounts, the references and lines of each statement, and the end.
  expect(given.length).toBeGreaterThan(12);
  await expireClaims();
  start('read');
  const lines = await linesOf(given.at(-1)!.environment);
  expect(lines).toHaveLength(4);
  for (const { environment, uploadId } of given) {
    await until('the upload is read', isRead(uploadId));
    expect(await countedIn(environment)).toEqual(all);
    expect(await linesOf(environment)).toEqual(lines);
    const { rows } = await query('SELECT FROM statement_accounts WHERE environment_id = $1', [environment]);
    expect(rows).toHaveLength(2);
  }
}, 120_000);

test('an upload that ends three processes fails, and its bytes are deleted', async () => {
  const uploadId = await uploads.receive(environmentId, file());
  for (const attempts of [1, 2, 3]) {
    const killed = start('publish');
    await killed.says('began');
    await killed.kill();
    expect(await row(uploadId)).toMatchObject({ state: 'reading', attempts });
    await expireClaims();
  }
  const last = start('read');
  await until('the upload has failed', async () => (await row(uploadId))?.state === 'failed');
  expect(await row(uploadId)).toMatchObject({
    reason: 'The service could not read the file. Send it again.',
    chunks: 0,
  });
  expect(last.count('began')).toBe(0);
});

test('two processes read every upload once', async () => {
  const companies = await Promise.all(Array.from({ length: 4 }, () => addCompany(database)));
  const both = [start('read'), start('read')];
  await Promise.all(both.map((one) => one.says('started')));
  const received = await Promise.all(
    Array.from({ length: 16 }, (_, at) => uploads.receive(companies[at % 4] ?? 0, file(1_200))),
  );
  for (const uploadId of received) await until('the upload is read', isRead(uploadId));
  const began = both.flatMap(({ output }) => output.match(/^began .*/gm) ?? []).map((line) => line.slice(6));
  expect(began.sort()).toEqual(received.sort());
  for (const uploadId of received) expect(await row(uploadId)).toMatchObject({ attempts: 1 });
  for (const company of companies) expect(await linesOf(company)).toHaveLength(4 * 1_200);
  expect(both.map((one) => one.count('began') > 0)).toEqual([true, true]);
});
