import type { Knex } from 'knex';

import { DataLoss } from '../../src/db/migrations/data-loss';
import { migrateDown, migrateUp } from '../../src/db/migrations/migrator';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { until } from '../support/until';

/**
 * The data that undoing a migration drops, and the permission that it needs. Uses separate test
 * migrations.
 */
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  // At this isolation level, a transaction does not see commits that happen while it waits for a
  // lock.
  await database.admin.query(
    `DO $$ BEGIN
       EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = ''repeatable read''', current_database());
     END $$`,
  );
});
afterAll(() => database.drop());

const options = (name: string, migration: Knex.Migration) => ({
  connectionString: database.ownerUrl,
  migrations: {
    tableName: `migrations_of_${name}`,
    migrationSource: {
      getMigrations: () => Promise.resolve([name]),
      getMigrationName: (entry: string) => entry,
      getMigration: () => Promise.resolve(migration),
    },
  },
});

const statements = (up: string, down: string): Knex.Migration => ({
  up: (knex) => knex.raw(up),
  down: (knex) => knex.raw(down),
});

const query = async (sql: string) => (await database.admin.query<Record<string, unknown>>(sql)).rows;
const exists = (table: string) => query(`SELECT to_regclass('${table}') IS NOT NULL AS exists`);

test('an empty table is dropped without permission', async () => {
  const given = options('empty', statements('CREATE TABLE empty (id integer)', 'DROP TABLE empty'));
  await migrateUp(given);
  expect(await migrateDown(given)).toBe('empty');
  expect(await exists('empty')).toEqual([{ exists: false }]);
});

test('tables and columns that hold data are listed with their row counts, and nothing is changed', async () => {
  const given = options(
    'filled',
    statements(
      `CREATE TABLE "Filled" (id integer); CREATE TABLE vacant (id integer);
       CREATE TABLE stays (id integer, note json, unused text, renamed text, twice integer GENERATED ALWAYS AS (id * 2) STORED)`,
      `DROP TABLE "Filled", vacant; ALTER TABLE stays DROP COLUMN note, DROP COLUMN unused, DROP COLUMN twice;
       ALTER TABLE stays RENAME COLUMN renamed TO other`,
    ),
  );
  await migrateUp(given);
  await query(`INSERT INTO "Filled" SELECT generate_series(1, 1200);
               INSERT INTO stays (id, note, renamed) VALUES (1, '{}', 'a'), (2, NULL, 'b')`);
  const refused: unknown = await migrateDown(given).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DataLoss);
  expect((refused as DataLoss).message).toBe(
    'Reverting filled drops data, which cannot be undone:\n  "Filled": 1,200 rows\n  stays.note: 1 row',
  );
  expect(await query('SELECT count(*)::int FROM "Filled"')).toEqual([{ count: 1200 }]);
  expect(await query('SELECT note, renamed FROM stays ORDER BY id')).toEqual([
    { note: {}, renamed: 'a' },
    { note: null, renamed: 'b' },
  ]);

  // Permission for a part is not enough.
  await expect(migrateDown(given, new Set(['"Filled"']))).rejects.toMatchObject({
    losses: [{ name: 'stays.note', rows: 1 }],
  });
  expect(await migrateDown(given, new Set(['"Filled"', 'stays.note']))).toBe('filled');
  expect(await exists('"Filled"')).toEqual([{ exists: false }]);
});

test('with permission for everything, tables and columns with data are dropped', async () => {
  const given = options('all_of_it', statements('CREATE TABLE gone AS SELECT 1 AS id', 'DROP TABLE gone'));
  await migrateUp(given);
  expect(await migrateDown(given, 'everything')).toBe('all_of_it');
  expect(await exists('gone')).toEqual([{ exists: false }]);
});

test('a row that is committed while undo waits for its lock is not dropped', async () => {
  const lines: string[] = [];
  const given = {
    ...options('waits', statements('CREATE TABLE waits (id integer)', 'DROP TABLE waits')),
    onProgress: (line: string) => void lines.push(line),
  };
  await migrateUp(given);
  const writer = await database.admin.connect();
  try {
    await writer.query('BEGIN; INSERT INTO waits VALUES (1)');
    const refused = expect(migrateDown(given)).rejects.toBeInstanceOf(DataLoss);
    await until('an attempt has failed', () => lines.some((line) => line.includes('did not get a lock')));
    await writer.query('COMMIT');
    await refused;
  } finally {
    writer.release();
  }
  expect(await query('SELECT id FROM waits')).toEqual([{ id: 1 }]);
});

test('a row that is committed between the count and the drop is not dropped', async () => {
  const waiting = `SELECT FROM pg_locks WHERE NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  let inserting: Promise<unknown> | undefined;
  const given = options('between', {
    up: (knex) => knex.raw('CREATE TABLE between_them (id integer)'),
    down: async (knex) => {
      await knex.raw('DROP TABLE between_them');
      if (inserting !== undefined) return;
      // Waits behind the trial run, gets the table when the trial is rolled back, and commits after
      // the first count.
      inserting = database.admin.query('INSERT INTO between_them SELECT 1 FROM pg_sleep(0.3)');
      await until('the insert waits', async () => (await query(waiting)).length > 0);
    },
  });
  await migrateUp(given);
  await expect(migrateDown({ ...given, lockTimeoutMs: 1_000 })).rejects.toMatchObject({
    losses: [{ name: 'between_them', rows: 1 }],
  });
  await inserting;
  expect(await query('SELECT id FROM between_them')).toEqual([{ id: 1 }]);
});
