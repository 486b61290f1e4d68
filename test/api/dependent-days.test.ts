import { randomUUID } from 'node:crypto';

import pino from 'pino';

import { createOperatorDatabase } from '../../src/db/operator-database';
import type { Database } from '../../src/db/pool/database';
import { compareDay } from '../../src/features/bank-statements/days/compare-day';
import { startDayWork } from '../../src/features/bank-statements/days/day-work';
import { moneyHash } from '../../src/features/bank-statements/statements/line-hashes';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { longTest } from '../support/full-run';
import { addStatementAccount } from '../support/statement-accounts';
import { StatementDays } from '../support/statement-days';
import { type Line, statementFile } from '../support/statement-files';
import { dependenciesOf, StoredDays } from '../support/stored-days';
import { until } from '../support/until';
import { contributions, ids } from '../unit/bank-statements/bank-months';

/** What the lines of one day depend on in other days, and what happens side by side. */
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

async function newAccounts() {
  const memory = new StatementDays({ contributions });
  const account = await addStatementAccount(database.admin);
  return { memory, account, stored: new StoredDays(database.admin, pool, account, memory.known) };
}

const first = '2026-11-17';
const numbered = (sequence: number, from: string, openingCents: bigint, lines: readonly Line[]): string =>
  statementFile(lines, { sequence, from, openingCents });
const notification = (from: string, parts: Line[], cents = 50_00n, madeAt = '2026-11-18T01:00:00'): string =>
  statementFile([{ cents, reference: 'BATCH-1', date: from, parts }], { kind: '054', from, madeAt });
const batch = numbered(7, first, 0n, [{ cents: 50_00n, reference: 'BATCH-1', date: first }]);
const part = (cents: bigint, at: number): Line => ({ cents, id: ids[at]! });
const queueAll = ({ account }: StoredDays) =>
  database.admin.query(
    `UPDATE account_days SET waiting = repeat('1', 1024)::bit(1024) WHERE environment_id = $1`,
    [account.environmentId],
  );

/** A person ignores the counted line with this amount. */
async function ignore({ account, admin }: StoredDays, cents: number): Promise<void> {
  const { rows } = await admin.query<Record<'direction' | 'reference' | 'digest' | 'amount_cents', string>>(
    `SELECT direction, reference, digest, amount_cents FROM line_outcomes
      WHERE environment_id = $1 AND state = 'counted' AND amount_cents = $2`,
    [account.environmentId, cents],
  );
  const { amount_cents: amount, ...line } = rows[0]!;
  const hash = moneyHash(account.accountId, { ...line, cents: BigInt(amount) } as never);
  await admin.query(
    `INSERT INTO line_decisions
       (environment_id, account_id, number, decision_id, entry_id, day, direction, amount_cents, reference, digest,
        content, occurrence, money_hash, can_move, action, reason, decided_by)
     SELECT environment_id, account_id, 1, $3, entry_id, day, direction, amount_cents, reference, digest, content,
            occurrence, $4, false, 'ignore', 'twice', 'k'
       FROM line_outcomes WHERE environment_id = $1 AND state = 'counted' AND amount_cents = $2`,
    [account.environmentId, cents, randomUUID(), hash],
  );
}

test.each([first, '2026-11-18'])(
  'a decision about a part that a notification of %s supplies counts',
  async (day) => {
    const { stored } = await newAccounts();
    await stored.upload(batch);
    await stored.upload(notification(day, [part(20_00n, 0), part(30_00n, 1)]));
    await stored.work();
    expect((await stored.seen()).money.map(({ paid }) => paid).sort()).toEqual(['2000', '3000']);
    await ignore(stored, 20_00);
    await queueAll(stored);
    await stored.work();
    expect((await stored.seen()).money.map(({ paid }) => paid)).toEqual(['3000']);
  },
);

test.each([first, '2026-11-18'])(
  'a list for a part that a notification of %s supplies queues the batch',
  async (day) => {
    const { stored } = await newAccounts();
    await stored.upload(batch);
    await stored.upload(notification(day, [{ cents: 20_00n, id: 'PART-REF-1' }, part(30_00n, 1)]));
    await stored.work();
    const outcomes = async () => (await stored.seen()).lines.map(({ outcome }) => outcome).sort();
    expect(await outcomes()).toEqual(['matched', 'unknown']);
    stored.known.settlements = new Map([['PART-REF-1', [[{ ...contributions[0]!, amountCents: 20_00n }]]]]);
    await stored.queue(['PART-REF-1']);
    await stored.work();
    expect(await outcomes()).toEqual(['matched', 'matched']);
  },
);

test('of two notifications about one batch with different parts, one counts as a whole', async () => {
  const { memory, stored } = await newAccounts();
  const files = [
    notification(first, [part(40_00n, 0), part(40_00n, 1), part(20_00n, 2)], 100_00n),
    notification(first, [part(40_00n, 0), part(30_00n, 1), part(30_00n, 2)], 100_00n, '2026-11-18T02:00:00'),
  ];
  for (const file of files) {
    memory.upload(file);
    await stored.upload(file);
  }
  await stored.work();
  const sum = (cents: bigint[]): bigint => cents.reduce((total, one) => total + one, 0n);
  const kept = (await stored.seen()).lines.filter(({ state }) => state === 'counted');
  expect(sum(kept.map(({ cents }) => BigInt(cents)))).toBe(100_00n);
  const inMemory = memory.lines().filter(({ state }) => state === 'counted');
  expect(sum(inMemory.map(({ line }) => line.cents))).toBe(100_00n);
});

test('a day whose predecessor is chosen at the same time follows it', async () => {
  const { memory, stored, account } = await newAccounts();
  const payment = { cents: 25_50n, id: ids[0]!, reference: 'REF-1', date: first };
  const files = [
    numbered(7, first, 0n, [payment]),
    numbered(9, '2026-11-19', 30_00n, [payment]),
    numbered(8, '2026-11-18', 25_50n, [{ cents: 4_50n, text: 'other', date: '2026-11-18' }]),
  ];
  for (const file of files) memory.upload(file);
  await stored.upload(files[0]!);
  await stored.work();
  for (const file of files.slice(1)) await stored.upload(file);
  // The transaction that chooses the 18th stays open while another process works on the 19th.
  const client = await database.admin.connect();
  const slow: Database = {
    ...pool,
    async run(query, values) {
      if (query.name !== 'choose_day_version') return pool.run(query, values);
      await client.query('BEGIN');
      const { rows } = await client.query(query.text, [...values]);
      return rows as never;
    },
  };
  const work = dependenciesOf(slow, memory.known);
  const claimed = (await work.days.claim({ ...account, day: '2026-11-18' }))!;
  let later = Promise.resolve();
  const { choose } = work.days;
  const days: typeof work.days = {
    ...work.days,
    async choose(...given) {
      const isPut = await choose(...given);
      later = stored.compare('2026-11-19');
      await new Promise((resolve) => setTimeout(resolve, 300));
      await client.query('COMMIT');
      return isPut;
    },
  };
  await compareDay({ ...work, days }, claimed, () => false);
  client.release();
  await later;
  await stored.work();
  expect((await stored.seen()).money[0]!.paid).toBe(String(memory.moneyOf(ids[0]!).paid));
});

test('equal lines without a reference on other days are not compared again', async () => {
  const { stored } = await newAccounts();
  const lines = (date: string): Line[] =>
    Array.from({ length: 3 }, () => ({ cents: 25_00n, text: 'CARD', date }));
  await stored.upload(numbered(1, first, 0n, lines(first)));
  await stored.work();
  await stored.upload(numbered(2, '2026-11-18', 75_00n, lines('2026-11-18')));
  await stored.compare('2026-11-18');
  expect(await stored.daysWithWork()).toEqual([]);
});

test('a chunk that cannot be stored while the next one is judged is a failure of the day only', async () => {
  const { memory, stored, account } = await newAccounts();
  const lines = Array.from({ length: 900 }, (_, at) => ({
    cents: 100n + BigInt(at),
    date: first,
    text: `x${at}`,
  }));
  await stored.upload(numbered(1, first, 0n, lines));
  const work = dependenciesOf(pool, memory.known);
  const unhandled: unknown[] = [];
  const [listeners, watch] = [
    process.listeners('unhandledRejection'),
    (error: unknown) => unhandled.push(error),
  ];
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', watch);
  try {
    const claimed = (await work.days.claim({ ...account, day: first }))!;
    const days = { ...work.days, putChunk: () => Promise.reject(new Error('refused')) };
    await expect(compareDay({ ...work, days }, claimed, () => false)).rejects.toThrow('refused');
    await new Promise((resolve) => setTimeout(resolve, 50));
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const one of listeners) process.on('unhandledRejection', one);
  }
  expect(unhandled).toEqual([]);
});

test('a new day of a closed month is compared once', async () => {
  const { memory, stored, account } = await newAccounts();
  await database.admin.query(
    `INSERT INTO closed_months (environment_id, month, closed_by) VALUES ($1, '2026-11-01', 'an accountant')`,
    [account.environmentId],
  );
  await stored.upload(numbered(1, first, 0n, [{ cents: 25_50n, id: ids[0]!, date: first }]));
  const stateOf = async () => {
    const { rows } = await database.admin.query<{ generation: number; has_work: boolean }>(
      'SELECT generation, has_work FROM account_days WHERE environment_id = $1',
      [account.environmentId],
    );
    return rows[0]!;
  };
  const work = startDayWork(dependenciesOf(pool, memory.known), pino({ level: 'silent' }), 50);
  await until('the day is compared', async () => !(await stateOf()).has_work);
  const { generation } = await stateOf();
  await new Promise((resolve) => setTimeout(resolve, 500));
  await work.stop();
  expect((await stateOf()).generation).toBe(generation);
});

longTest('the claim of a day is extended while its versions are compared', async () => {
  const { memory, stored, account } = await newAccounts();
  await stored.upload(batch);
  const work = dependenciesOf(pool, memory.known);
  const claimed = (await work.days.claim({ ...account, day: first }))!;
  const until = async () => {
    const { rows } = await database.admin.query<{ claimed: Date }>(
      'SELECT claimed_until AS claimed FROM account_days WHERE environment_id = $1',
      [account.environmentId],
    );
    return rows[0]!.claimed.getTime();
  };
  const claimedUntil = await until();
  let extendedUntil = 0;
  await compareDay(
    {
      ...work,
      async chooseVersion(day) {
        await new Promise((resolve) => setTimeout(resolve, 11_000));
        extendedUntil = await until();
        return work.chooseVersion(day);
      },
    },
    claimed,
    () => false,
  );
  expect(extendedUntil).toBeGreaterThan(claimedUntil + 5_000);
});

// With quadratic work, it would exceed the time limit of tests.
longTest('a notification with 6,000 parts is compared', async () => {
  const { stored } = await newAccounts();
  const parts = Array.from({ length: 6_000 }, (_, at) => ({ cents: 1_00n, text: `P${at}` }));
  await stored.upload(notification('2026-11-18', parts, 6_000_00n));
  await stored.work();
  expect((await stored.seen()).lines).toHaveLength(6_000);
});
