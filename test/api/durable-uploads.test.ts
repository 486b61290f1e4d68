import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';

import { type CsvMapping, StatementFileRefused } from '@contribution-service/bank-files';

import { DatabaseFailure } from '../../src/db/errors';
import { trimUploads } from '../../src/features/bank-statements/uploads/trim-uploads';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { earlier } from '../support/earlier';
import { accountNumber, bai2Of } from '../support/files-to-read';
import {
  addCompany,
  peppersOf,
  readAll,
  rowOf,
  type UploadRow,
  uploadsOf,
  type UploadsInTest,
} from '../support/uploads';

/** Uploads are durable and encrypted until they are read, and each ends, whatever its file is. */
let database: TestDatabase;
let environmentId: number;
let uploads: UploadsInTest;
let count = 0;

const csv: CsvMapping = {
  ...{
    date: 'Date',
    date_format: 'YYYY-MM-DD',
    amount: 'Amount',
    decimal: '.',
    delimiter: ',',
    texts: ['Text'],
  },
};
const peppers = peppersOf('the pepper of these tests');
const notReadable = 'The service could not read the file. Send it again.';
const query = (sql: string, values: unknown[] = []) => database.admin.query(sql, values);
const row = (uploadId: string) => rowOf(database, uploadId);
const hasState =
  (uploadId: string, ...states: string[]) =>
  async () =>
    states.includes((await row(uploadId))?.state ?? '');
const failedAttempts = (uploadId: string, attempts: number) => async () => {
  const found = await row(uploadId);
  return found?.state !== 'reading' && found?.attempts === attempts;
};
/** A new file. */
const file = (lines = 3): string => bai2Of(Array.from({ length: lines }, () => `text ${(count += 1)}`));
const makeDue = () =>
  query(
    'UPDATE statement_uploads SET next_attempt_at = now() WHERE ended_at IS NULL AND next_attempt_at IS NOT NULL',
  );

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  environmentId = await addCompany(database);
  uploads = uploadsOf(database, peppers);
});
afterEach(async () => {
  await uploads.close();
  await query('DELETE FROM statement_uploads');
});

test('an upload is read in batches, with its options, and then its bytes are deleted', async () => {
  const options = { account: 'my account', mapping: { ...csv, opening_cents: 12n } };
  const uploadId = await uploads.receive(environmentId, file(2_500), options);
  expect(await row(uploadId)).toMatchObject({ state: 'received', reason: null, attempts: 0 });
  const found: unknown[] = [];
  await uploads.readUntil(hasState(uploadId, 'read'), async ({ options: own, file: read, parts }) => {
    found.push(own, read.format, read.accounts[0]?.accountNumber);
    for await (const part of parts) if ('lines' in part) found.push(part.lines.length);
    return undefined;
  });
  expect(found).toEqual([options, 'bai2', accountNumber, 1_000, 1_000, 500]);
  expect(await row(uploadId)).toMatchObject({ state: 'read', attempts: 1, chunks: 0 });
});

test('the bytes and the options in the database are not plain, and two uploads share none', async () => {
  const bytes = randomBytes(700_000).toString('latin1');
  await uploads.receive(environmentId, `${file()}${accountNumber}${bytes}`, { account: 'my own account' });
  const other = await addCompany(database);
  await uploads.receive(other, `${file()}${accountNumber}${bytes}`, { account: 'my own account' });
  const { rows } = await query(
    'SELECT sealed, number FROM statement_upload_chunks ORDER BY upload_id, number',
  );
  const chunks = (rows as { sealed: Buffer; number: number }[]).map(({ sealed }) =>
    sealed.toString('latin1'),
  );
  expect(chunks.length).toBeGreaterThan(6);
  expect(new Set(chunks.map((chunk) => chunk.slice(0, 12))).size).toBe(chunks.length);
  for (const text of [accountNumber, 'my own account', 'BANK', bytes.slice(10_000, 10_040)])
    expect(chunks.filter((chunk) => chunk.includes(text))).toEqual([]);
  const { rows: all } = await query('SELECT u::text AS text FROM statement_uploads u');
  expect(JSON.stringify(all)).not.toContain('my own account');
});

test('a gzip file is stored as it is, and read', async () => {
  const uploadId = await uploads.receive(environmentId, gzipSync(file()));
  await uploads.readUntil(hasState(uploadId, 'read'));
});

test('a file that cannot be read is rejected with the reason of today, and its bytes are deleted', async () => {
  const rejected: [Buffer | string, string][] = [
    ['', 'The file is empty.'],
    [
      'Date,Amount',
      'The file is not camt.052, camt.053 or camt.054 (XML), BAI2 or NACHA. A CSV file needs a mapping.',
    ],
    [gzipSync(Buffer.alloc(17 * 1024 * 1024)), 'The file has more than 16 MiB.'],
  ];
  for (const [bytes, reason] of rejected) {
    const uploadId = await uploads.receive(environmentId, bytes);
    await uploads.readUntil(hasState(uploadId, 'rejected'));
    expect(await row(uploadId)).toMatchObject({ state: 'rejected', reason, attempts: 1, chunks: 0 });
  }
  const uploadId = await uploads.receive(environmentId, file());
  const reason = 'The file states its account number. Omit account.';
  await uploads.readUntil(hasState(uploadId, 'rejected'), () =>
    Promise.reject(new StatementFileRefused(reason)),
  );
  expect(await row(uploadId)).toMatchObject({ reason, chunks: 0 });
});

test('the same bytes are stored once, and with other options not at all', async () => {
  const bytes = [Buffer.from(file())];
  const { outcome, upload } = await uploads.service.receive(environmentId, bytes, { account: 'one' });
  expect(outcome).toBe('stored');
  const same = { upload: { uploadId: upload.uploadId } };
  expect(await uploads.service.receive(environmentId, bytes, { account: 'one' })).toMatchObject({
    outcome: 'known',
    ...same,
  });
  expect(await uploads.service.receive(environmentId, bytes, { account: 'two' })).toMatchObject({
    outcome: 'options_differ',
    ...same,
  });
  await uploads.readUntil(hasState(upload.uploadId, 'read'));
  expect(await uploads.service.receive(environmentId, bytes, { account: 'one' })).toMatchObject({
    outcome: 'known',
    ...same,
  });
  expect((await query('SELECT FROM statement_uploads')).rowCount).toBe(1);
  expect((await query('SELECT FROM statement_upload_chunks')).rowCount).toBe(0);
});

test('concurrent uploads of the same bytes store one', async () => {
  const bytes = file();
  const found = await Promise.all(Array.from({ length: 8 }, () => uploads.receive(environmentId, bytes)));
  expect(new Set(found).size).toBe(1);
  expect((await query('SELECT FROM statement_uploads')).rowCount).toBe(1);
});

test('an upload whose sender leaves stores nothing', async () => {
  function* leaving() {
    yield randomBytes(600_000);
    throw new Error('the sender left');
  }
  await expect(uploads.service.receive(environmentId, leaving(), {})).rejects.toThrow('the sender left');
  expect((await query('SELECT FROM statement_uploads')).rowCount).toBe(0);
  expect((await query('SELECT FROM statement_upload_chunks')).rowCount).toBe(0);
});

test.each([
  ['files', 60, 0],
  ['lines', 10, 100_000],
])('an environment that reaches the limit of %s an hour gets rate_limited', async (_what, files, lines) => {
  await query(
    `INSERT INTO statement_uploads (environment_id, upload_id, options_hmac, pepper_version, received_at, read_lines)
     SELECT $1, gen_random_uuid(), '', 1, clock_timestamp() - interval '50 minutes', $3::integer FROM generate_series(1, $2)`,
    [environmentId, files, lines],
  );
  const rejected = await uploads.receive(environmentId, file()).catch((error: unknown) => error);
  expect(rejected).toMatchObject({ code: 'rate_limited' });
  const seconds = Number((rejected as { headers: Record<string, string> }).headers['Retry-After']);
  expect(seconds).toBeGreaterThan(540);
  expect(seconds).toBeLessThanOrEqual(600);
});

type Damage = [what: string, sql: string];
test.each<Damage>([
  [
    'a truncated chunk',
    'UPDATE statement_upload_chunks SET sealed = substring(sealed FOR length(sealed) - 1) WHERE number = 1',
  ],
  ['a chunk without a tag', `UPDATE statement_upload_chunks SET sealed = '\\x00' WHERE number = 1`],
  [
    'a changed chunk',
    'UPDATE statement_upload_chunks SET sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20)) WHERE number = 1',
  ],
  ['a missing chunk', 'DELETE FROM statement_upload_chunks WHERE number = 1'],
  ['a missing last chunk', 'UPDATE statement_uploads SET chunk_count = chunk_count - 1'],
  [
    'swapped chunks',
    `UPDATE statement_upload_chunks c SET sealed = o.sealed FROM statement_upload_chunks o WHERE c.environment_id = o.environment_id AND c.upload_id = o.upload_id AND c.number = 1 AND o.number = 0`,
  ],
  ['other bytes', `UPDATE statement_uploads SET sha256 = sha256 || '\\x00'`],
])('%s fails after three attempts with growing pauses, and delays no other upload', async (_what, sql) => {
  const uploadId = await uploads.receive(environmentId, file());
  await query(sql);
  const healthy = await uploads.receive(environmentId, file());
  const pauses: (number | null | undefined)[] = [];
  for (const attempts of [1, 2]) {
    await uploads.readUntil(failedAttempts(uploadId, attempts));
    pauses.push((await row(uploadId))?.pause);
    await query('UPDATE statement_uploads SET next_attempt_at = now() WHERE upload_id = $1', [uploadId]);
  }
  await uploads.readUntil(hasState(uploadId, 'failed'));
  expect(pauses[0]).toBeGreaterThan(50);
  expect(pauses[1]).toBeGreaterThan(500);
  expect(await row(uploadId)).toMatchObject({ state: 'failed', reason: notReadable, attempts: 3, chunks: 0 });
  expect(await row(healthy)).toMatchObject({ state: 'read', attempts: 1 });
});

test('another pepper of the same version opens nothing', async () => {
  const uploadId = await uploads.receive(environmentId, file());
  const others = uploadsOf(database, peppersOf('another pepper'));
  await others.readUntil(failedAttempts(uploadId, 1));
  await makeDue();
  await uploads.readUntil(hasState(uploadId, 'read'));
  expect(await row(uploadId)).toMatchObject({ attempts: 2 });
  expect(others.log.join('')).not.toContain(accountNumber);
  await others.close();
});

test('a new pepper opens earlier uploads while the earlier pepper is configured', async () => {
  const uploadId = await uploads.receive(environmentId, file());
  const rotated = uploadsOf(database, new Map([...peppers, [2, Buffer.from('the next pepper')]]));
  const next = await rotated.receive(environmentId, file());
  await rotated.readUntil(async () => (await hasState(uploadId, 'read')()) && hasState(next, 'read')());
  await rotated.close();
});

test('a process without the pepper leaves the upload to others, and it fails after a day', async () => {
  const uploadId = await uploads.receive(environmentId, file());
  const retired = uploadsOf(database, new Map([[2, Buffer.from('the next pepper')]]));
  const next = await retired.receive(environmentId, file());
  await retired.readUntil(hasState(next, 'read'));
  expect(await row(uploadId)).toMatchObject({ state: 'received', attempts: 0 });
  await trimUploads(retired.store);
  expect(await row(uploadId)).toMatchObject({ state: 'received' });
  await query(`UPDATE statement_uploads SET received_at = ${earlier('received_at', '25 hours')}`);
  await trimUploads(retired.store);
  expect(await row(uploadId)).toMatchObject({
    state: 'failed',
    reason: 'The service could not read the file within 24 hours. Send it again.',
    chunks: 0,
  });
  expect(await row(next)).toMatchObject({ state: 'read' });
  await retired.close();
});

test('after a reset, the uploads of the environment end without being read', async () => {
  const uploadId = await uploads.receive(environmentId, file());
  const other = await addCompany(database);
  const next = await uploads.receive(other, file());
  await query('UPDATE environments SET retired_at = now() WHERE environment_id = $1', [environmentId]);
  await uploads.readUntil(hasState(next, 'read'));
  await trimUploads(uploads.store);
  expect(await row(uploadId)).toMatchObject({
    state: 'failed',
    reason: 'The test environment was reset before the file was read.',
    attempts: 0,
    chunks: 0,
  });
});

test('a purge deletes the uploads of a retired environment', async () => {
  await uploads.receive(environmentId, file());
  await query(
    `UPDATE environments SET created_at = ${earlier('created_at', '9 days')}, retired_at = ${earlier('created_at', '8 days')} WHERE environment_id = $1`,
    [environmentId],
  );
  let left = 1;
  while (left > 0) {
    const { rows } = await query('SELECT purge_retired_environment($1, 100) AS count', [environmentId]);
    left = (rows[0] as { count: number }).count;
  }
  expect((await query('SELECT FROM statement_uploads')).rowCount).toBe(0);
});

test('an incomplete upload is deleted after an hour', async () => {
  const upload = { environmentId, uploadId: '019a0000-0000-7000-8000-000000000001' };
  await uploads.store.create({ ...upload, optionsHmac: Buffer.alloc(32), pepperVersion: 1 });
  expect(await uploads.store.addChunk(upload, 0, Buffer.alloc(28))).toBe(true);
  await trimUploads(uploads.store);
  expect(await row(upload.uploadId)).toMatchObject({ state: 'receiving', chunks: 1 });
  await query(`UPDATE statement_uploads SET received_at = ${earlier('received_at', '61 minutes')}`);
  await trimUploads(uploads.store);
  expect(await row(upload.uploadId)).toBeUndefined();
  expect((await query('SELECT FROM statement_upload_chunks')).rowCount).toBe(0);
  // Its process may still send.
  expect(await uploads.store.addChunk(upload, 1, Buffer.alloc(28))).toBe(false);
  const received = { sha256: Buffer.alloc(32), byteCount: 1, chunkCount: 2 };
  expect(await uploads.store.complete(upload, received)).toBe('dropped');
});

test('a failure of the database does not count as an attempt, but a timeout does', async () => {
  const uploadId = await uploads.receive(environmentId, file());
  const failing = (reason: 'unavailable' | 'timeout') => () =>
    Promise.reject(new DatabaseFailure(reason, 'nothing', undefined));
  const isPaused = async (): Promise<boolean> => ((await row(uploadId))?.pause ?? 0) > 30;
  await uploads.readUntil(isPaused, failing('unavailable'));
  expect(await row(uploadId)).toMatchObject({ state: 'received', attempts: 0 });
  await makeDue();
  await uploads.readUntil(isPaused, failing('timeout'));
  expect(await row(uploadId)).toMatchObject({ state: 'received', attempts: 1 });
});

test('a process that stops gives its upload back, and the attempt does not count', async () => {
  const uploadId = await uploads.receive(environmentId, file());
  let reason: unknown;
  const isBegun = (): Promise<boolean> => Promise.resolve(began);
  let began = false;
  await uploads.readUntil(isBegun, async ({ signal }) => {
    began = true;
    if (!signal.aborted) await once(signal, 'abort');
    reason = signal.reason;
    throw reason;
  });
  expect(reason).toBeDefined();
  expect(await row(uploadId)).toMatchObject({ state: 'received', attempts: 0 });
  await uploads.readUntil(hasState(uploadId, 'read'));
});

const nothing = { format: 'bai2', version: null, lines: 8, problems: [] } as const;

test('a process that lost its claim changes nothing', async () => {
  const uploadId = await uploads.receive(environmentId, file());
  const upload = { environmentId, uploadId };
  const ids = ['019a0000-0000-7000-8000-00000000000a', '019a0000-0000-7000-8000-00000000000b'] as const;
  const first = (await uploads.store.claim(upload, ids[0]))!;
  expect(await uploads.store.claim(upload, ids[1])).toBeUndefined();
  await query(`UPDATE statement_uploads SET claimed_until = now() - interval '1 second'`);
  const second = (await uploads.store.claim(upload, ids[1]))!;
  expect(await uploads.store.extend(first, 1)).toBe(false);
  await uploads.store.postpone(first, 0, 0);
  expect(await uploads.store.end(first, { state: 'rejected', reason: 'wrong' })).toBe(false);
  expect(await row(uploadId)).toMatchObject({ state: 'reading', attempts: 2 });
  expect(await uploads.store.extend(second, 7)).toBe(true);
  expect(await uploads.statements.publishUpload(first, nothing, [])).toBe(false);
  expect(await row(uploadId)).toMatchObject({ state: 'reading', read_lines: 7 });
  expect(await uploads.statements.publishUpload(second, nothing, [])).toBe(true);
  expect(await row(uploadId)).toMatchObject({ state: 'read', read_lines: 8, chunks: 0 });
});

test('companies take turns, so that many uploads of one do not delay the others', async () => {
  const many = await Promise.all(Array.from({ length: 8 }, () => uploads.receive(environmentId, file())));
  const other = await addCompany(database);
  const late = await uploads.receive(other, file());
  const order: string[] = [];
  await uploads.readUntil(
    async () => (await Promise.all([...many, late].map(row))).every((one) => one?.state === 'read'),
    async (upload) => {
      order.push(upload.claim.uploadId);
      return readAll(upload);
    },
  );
  expect(order).toHaveLength(9);
  expect(order.indexOf(late)).toBeLessThan(3);
});

test('an account number is in no log line and in no row, whatever fails', async () => {
  const uploadId = await uploads.receive(environmentId, file(), { account: accountNumber });
  for (const error of [new Error(`cannot store ${accountNumber}`), new TypeError(accountNumber)]) {
    const { attempts } = (await row(uploadId)) as UploadRow;
    await uploads.readUntil(failedAttempts(uploadId, attempts + 1), () => Promise.reject(error));
    await makeDue();
  }
  await uploads.readUntil(hasState(uploadId, 'failed'), ({ file: read }) => {
    BigInt(`no number ${read.accounts[0]?.accountNumber ?? ''}`);
    return Promise.resolve(undefined);
  });
  expect(uploads.log).toHaveLength(3);
  expect(uploads.log.join('')).not.toContain(accountNumber);
  expect(uploads.log[2]).toContain('SyntaxError');
  expect(uploads.log[2]).toContain(uploadId);
  const { rows } = await query('SELECT u::text AS text FROM statement_uploads u');
  expect(JSON.stringify(rows)).not.toContain(accountNumber);
});
