import type { Knex } from 'knex';

import { MigrationError } from '../../src/db/migrations/migration-error';
import type { MigratorOptions } from '../../src/db/migrations/migration-session';
import { migrateDown, migrateUp } from '../../src/db/migrations/migrator';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { until } from '../support/until';

/** How migrations acquire their locks. Uses separate test migrations. */
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  await database.admin.query('CREATE TABLE busy (id integer); ALTER TABLE busy OWNER TO contribution_owner');
});
afterAll(async () => {
  await database.drop();
});

/** Migrations by name, recorded in a separate table for each test. */
function options(tableName: string, migrations: Record<string, Knex.Migration>, lines: string[] = []) {
  return {
    connectionString: database.ownerUrl,
    onProgress: (line: string) => void lines.push(line),
    migrations: {
      tableName,
      migrationSource: {
        getMigrations: () => Promise.resolve(Object.keys(migrations)),
        getMigrationName: (name: string) => name,
        getMigration: (name: string) => Promise.resolve(migrations[name]!),
      },
    },
  } satisfies MigratorOptions;
}

const addColumn = (column: string): Knex.Migration => ({
  up: (trx) => trx.raw(`ALTER TABLE busy ADD COLUMN ${column} text`),
  down: (trx) => trx.raw(`ALTER TABLE busy DROP COLUMN ${column}`),
});

async function columns(): Promise<string[]> {
  const { rows } = await database.admin.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'busy'::regclass AND attnum > 0 AND NOT attisdropped
      ORDER BY attnum`,
  );
  return rows.map(({ name }) => name);
}

/** Holds a lock that conflicts with ALTER TABLE, as a long report does. */
async function withReader<T>(work: (release: () => Promise<void>) => Promise<T>): Promise<T> {
  const reader = await database.admin.connect();
  await reader.query('BEGIN; SELECT FROM busy');
  try {
    return await work(async () => {
      await reader.query('COMMIT');
    });
  } finally {
    await reader.query('ROLLBACK');
    reader.release();
  }
}

test('two concurrent runs apply each migration once, and neither fails', async () => {
  const seen: string[] = [];
  const slow = (name: string): Knex.Migration => ({
    up: async (trx) => {
      seen.push(name);
      await trx.raw('SELECT pg_sleep(0.3)');
    },
    down: () => Promise.resolve(),
  });
  const run = () => migrateUp(options('twice', { one: slow('one'), two: slow('two') }));
  const applied = await Promise.all([run(), run()]);
  expect(seen).toEqual(['one', 'two']);
  expect(applied.flatMap(({ migrations }) => migrations)).toEqual(['one', 'two']);
});

test('a migration that does not get its lock says so and is retried until it does', async () => {
  const lines: string[] = [];
  await withReader(async (release) => {
    const running = migrateUp(options('again', { add_a: addColumn('a') }, lines));
    await until('three attempts have failed', () => lines.length >= 3);
    expect(await columns()).toEqual(['id']);
    await release();
    expect(await running).toEqual({ migrations: ['add_a'], files: [] });
  });
  expect(lines[0]).toMatch(/^add_a: did not get a lock, attempt 1 of 60; (the oldest transaction|this role)/);
  expect(lines.at(-1)).toMatch(/^add_a: done in \d+ ms, attempt \d+$/);
  expect(await columns()).toEqual(['id', 'a']);
});

test('an attempt blocks other statements for at most its lock timeout', async () => {
  await withReader(async () => {
    const waits: number[] = [];
    const timed: Knex.Migration = {
      up: async (trx) => {
        const startedAt = performance.now();
        await trx.raw('LOCK TABLE busy').catch((error: unknown) => {
          waits.push(performance.now() - startedAt);
          throw error;
        });
      },
      down: () => Promise.resolve(),
    };
    const giveUp = migrateUp({ ...options('timed', { timed }), attempts: 3, lockTimeoutMs: 50 });
    await expect(giveUp).rejects.toThrow(MigrationError);
    expect(waits).toHaveLength(3);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(45);
    expect(Math.min(...waits)).toBeLessThan(1_000);
  });
});

test('when a migration gives up, earlier migrations stay applied and it leaves nothing', async () => {
  const half: Knex.Migration = {
    up: (trx) => trx.raw('CREATE TABLE half (id integer); ALTER TABLE busy ADD COLUMN b text'),
    down: () => Promise.resolve(),
  };
  const first: Knex.Migration = {
    up: (trx) => trx.raw('CREATE TABLE first (id integer)'),
    down: () => Promise.resolve(),
  };
  const running = withReader(() => migrateUp({ ...options('given_up', { first, half }), attempts: 2 }));
  await expect(running).rejects.toThrow(
    /^half: did not get a lock in 2 attempts and changed nothing; .*Run it again/,
  );
  const { rows } = await database.admin.query(
    `SELECT to_regclass('first') IS NOT NULL AS first, to_regclass('half') IS NOT NULL AS half,
            (SELECT array_agg(name::text) FROM given_up) AS applied`,
  );
  expect(rows).toEqual([{ first: true, half: false, applied: ['first'] }]);
});

test('undo waits for its lock in the same way', async () => {
  const lines: string[] = [];
  const given = options('down', { add_c: addColumn('c') }, lines);
  await migrateUp(given);
  await withReader(async (release) => {
    const running = migrateDown(given);
    await until('an attempt has failed', () => lines.some((line) => line.includes('did not get a lock')));
    expect(await columns()).toContain('c');
    await release();
    expect(await running).toBe('add_c');
  });
  expect(await columns()).not.toContain('c');
  expect(await migrateDown(given)).toBeUndefined();
});

test('a migration without a transaction is not retried, because it may have left changes', async () => {
  const concurrently = { ...addColumn('d'), config: { transaction: false } };
  await withReader(async () => {
    await expect(migrateUp(options('concurrently', { concurrently }))).rejects.toThrow(
      'concurrently: did not get a lock. It runs without a transaction, so check what it already changed before you run it again.',
    );
  });
});

test('an error other than a lock timeout ends the run at once with PostgreSQL’s message', async () => {
  const lines: string[] = [];
  const broken: Knex.Migration = {
    up: (trx) => trx.raw('ALTER TABLE nowhere ADD COLUMN e text'),
    down: () => Promise.resolve(),
  };
  await expect(migrateUp(options('broken', { broken }, lines))).rejects.toThrow(
    'relation "nowhere" does not exist',
  );
  expect(lines).toEqual([]);
});

describe("Knex's lock row", () => {
  const given = (lines: string[] = []) => options('stale', { nothing: addColumn('f') }, lines);
  const lock = () => database.admin.query('UPDATE stale_lock SET is_locked = 1');
  beforeAll(() => migrateUp(given()));

  test('is released when a killed run has left it', async () => {
    await lock();
    const lines: string[] = [];
    expect(await migrateDown(given(lines))).toBe('nothing');
    expect(lines[0]).toBe('removing the lock of an earlier run that was killed');
  });
});

test('a concurrent migration that outlasts all attempts is named, and nothing is done', async () => {
  let finish: (() => void) | undefined;
  const long: Knex.Migration = {
    up: () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
    down: () => Promise.resolve(),
  };
  const lines: string[] = [];
  const other = migrateUp(options('long', { long }));
  await until('the other one is at work', () => finish !== undefined);
  const impatient = { ...options('long', { long }, lines), attempts: 2 };
  await expect(migrateUp(impatient)).rejects.toThrow('Another process is migrating this database');
  expect(lines).toEqual(['waiting: another process is migrating this database']);
  finish?.();
  expect(await other).toEqual({ migrations: ['long'], files: [] });
});
