import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import type { ClaimedDay, LineAllocation } from '../../src/features/bank-statements/days/account-day';
import { createAccountDaysStore } from '../../src/features/bank-statements/days/account-days.store';
import { allBuckets, bitsOf, bucketOf, bucketsIn } from '../../src/features/bank-statements/days/buckets';
import { entryIdOf } from '../../src/features/bank-statements/days/line-outcomes';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { addStatementAccount } from '../support/statement-accounts';

let database: TestDatabase;
let pool: Database;
let days: ReturnType<typeof createAccountDaysStore>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createOperatorDatabase(database.url);
  days = createAccountDaysStore(pool);
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

const entryId = entryIdOf('account', 'line');

const payment = (bucket: number, changes: Partial<LineAllocation> = {}): LineAllocation => ({
  bucket,
  entryId,
  transactionId: 'ABCD00000000001',
  transactionEnvironmentId: 1,
  kind: 'payment',
  amountCents: 1_000n,
  chargesCents: 0n,
  expectedCents: 1_000n,
  confidence: 'exact',
  state: 'confirmed',
  ...changes,
});

/** The money of each contribution, as [gross, returned, other gross, other returned, charges]. */
async function moneyOf(environmentId: number): Promise<Record<string, number[]>> {
  const { rows } = await database.admin.query<{ id: string; sums: number[] }>(
    `SELECT transaction_id AS id, ARRAY[gross_cents, returned_cents, other_gross_cents, other_returned_cents, charges_cents]::integer[] AS sums
       FROM contribution_money WHERE environment_id = $1`,
    [environmentId],
  );
  return Object.fromEntries(rows.map(({ id, sums }) => [id, sums]));
}

async function claimed(account: { environmentId: number; accountId: string }, day = '2026-11-02') {
  await days.mark(account.environmentId, account.accountId, [day], allBuckets);
  return (await days.claim({ ...account, day }))!;
}

const endClaims = () => database.admin.query(`UPDATE account_days SET claimed_until = '-infinity'`);

test('a set of buckets survives the way to PostgreSQL and back', async () => {
  const account = await addStatementAccount(database.admin);
  await days.mark(account.environmentId, account.accountId, ['2026-11-02'], bitsOf([0, 5]));
  await days.mark(account.environmentId, account.accountId, ['2026-11-02'], bitsOf([1_023]));
  expect((await days.claim({ ...account, day: '2026-11-02' }))?.working).toEqual([0, 5, 1_023]);
  expect(bucketsIn(allBuckets)).toHaveLength(1_024);
});

test('up to 25 equal lines share a bucket, and more of them spread', () => {
  const buckets = Array.from({ length: 50_000 }, (_, at) => bucketOf('equal', at + 1));
  expect(new Set(buckets.slice(0, 25)).size).toBe(1);
  expect(new Set(buckets).size).toBe(1_024);
  expect(Math.max(...buckets)).toBeLessThan(1_024);
});

test('a chunk replaces the allocations of its buckets and leaves those of others', async () => {
  const account = await addStatementAccount(database.admin);
  const day = await claimed(account);
  expect(await days.putChunk(day, [1], [], [payment(1)])).toBe(true);
  expect(await days.putChunk(day, [2], [], [payment(2, { amountCents: 400n, chargesCents: 5n })])).toBe(true);
  expect(await moneyOf(account.environmentId)).toEqual({ ABCD00000000001: [1_400, 0, 400, 0, 5] });
  expect(await days.putChunk(day, [1], [], [payment(1, { kind: 'return' })])).toBe(true);
  expect(await moneyOf(account.environmentId)).toEqual({ ABCD00000000001: [400, 1_000, 400, 0, 5] });
  expect(await days.putChunk(day, [1, 2], [], [])).toBe(true);
  expect(await moneyOf(account.environmentId)).toEqual({ ABCD00000000001: [0, 0, 0, 0, 0] });
});

test('a proposed allocation is no money', async () => {
  const account = await addStatementAccount(database.admin);
  const day = await claimed(account);
  await days.putChunk(day, [1], [], [payment(1, { state: 'proposed' })]);
  expect(await moneyOf(account.environmentId)).toEqual({});
});

test('the same chunk twice changes the money once', async () => {
  const account = await addStatementAccount(database.admin);
  const day = await claimed(account);
  for (let turn = 0; turn < 2; turn += 1) await days.putChunk(day, [1], [], [payment(1)]);
  expect(await moneyOf(account.environmentId)).toEqual({ ABCD00000000001: [1_000, 0, 0, 0, 0] });
});

test('one of two processes gets a day, and each environment has a day in the list', async () => {
  const [one, other] = [await addStatementAccount(database.admin), await addStatementAccount(database.admin)];
  for (const { environmentId, accountId } of [one, other])
    await days.mark(environmentId, accountId, ['2026-11-02', '2026-11-03'], allBuckets);
  const listed = await days.withWork(1_000);
  const ids = listed.map(({ environmentId }) => environmentId);
  expect(ids).toEqual(expect.arrayContaining([one.environmentId, other.environmentId]));
  expect(new Set(ids).size).toBe(ids.length);
  const day = { ...one, day: '2026-11-02' };
  const claims = await Promise.all(Array.from({ length: 4 }, () => days.claim(day)));
  expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
});

test('a process whose claim another one took over stores nothing', async () => {
  const account = await addStatementAccount(database.admin);
  const first = await claimed(account);
  await days.putChunk(first, [7], [], [payment(7)]);
  await endClaims();
  const second = (await days.claim(first))!;
  // It has the rest, because the first one stored its chunk.
  expect(second.working).toHaveLength(1_023);
  expect(second.working).not.toContain(7);
  expect(await days.putChunk(first, [8], [], [payment(8)])).toBe(false);
  expect(await days.choose(first, undefined)).toBe(false);
  expect(await days.spread(first, [8])).toBe(false);
  expect(await days.choose(second, undefined)).toBe(true);
  expect(await days.putChunk(second, [8], [], [payment(8)])).toBe(true);
  expect(await moneyOf(account.environmentId)).toEqual({ ABCD00000000001: [2_000, 0, 0, 0, 0] });
});

test('what changes during the work is work again', async () => {
  const account = await addStatementAccount(database.admin);
  const day = await claimed(account);
  await days.mark(account.environmentId, account.accountId, [day.day], bitsOf([3]));
  await days.putChunk(day, bucketsIn(allBuckets), [], []);
  expect(await days.finish(day)).toBe(true);
  const again = (await days.claim(day))!;
  expect(again.working).toEqual([3]);
  await days.putChunk(again, [3], [], []);
  expect(await days.finish(again)).toBe(false);
  expect(await days.claim(day)).toBeUndefined();
});

test('a failed day waits, keeps its work and says why', async () => {
  const account = await addStatementAccount(database.admin);
  const day = await claimed(account);
  await days.fail(day, 'timeout', 60);
  expect(await days.claim(day)).toBeUndefined();
  await endClaims();
  const again = (await days.claim(day))!;
  expect(again.working).toHaveLength(1_024);
  const { rows } = await database.admin.query(
    'SELECT failures, failure FROM account_days WHERE environment_id = $1',
    [account.environmentId],
  );
  expect(rows).toEqual([{ failures: 1, failure: 'timeout' }]);
});

test('days with the same contributions add up, whatever the order in which they commit', async () => {
  const account = await addStatementAccount(database.admin);
  const ids = Array.from({ length: 50 }, (_, at) => `ABCD${String(at).padStart(11, '0')}`);
  const chunk = (order: readonly string[]): LineAllocation[] =>
    order.map((transactionId, at) => payment(at, { transactionId }));
  const claims: ClaimedDay[] = [];
  for (let day = 1; day <= 8; day += 1) claims.push(await claimed(account, `2026-11-0${day}`));
  for (let turn = 0; turn < 3; turn += 1) {
    const orders = claims.map((_claim, at) => chunk(at % 2 === 0 ? ids : [...ids].reverse()));
    const put = claims.map((claim, at) => days.putChunk(claim, bucketsIn(allBuckets), [], orders[at]!));
    expect(await Promise.all(put)).toEqual(claims.map(() => true));
  }
  const expected = ids.map((id) => [id, [8_000, 0, 0, 0, 0]]);
  expect(await moneyOf(account.environmentId)).toEqual(Object.fromEntries(expected));
});
