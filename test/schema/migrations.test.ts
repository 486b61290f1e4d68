import { randomUUID } from 'node:crypto';

import knex, { type Knex } from 'knex';

import { droppedParts, readColumns } from '../../src/db/migrations/data-loss';
import { createKnexConfig } from '../../src/db/migrations/knex-config';
import { isInTransaction } from '../../src/db/migrations/migrator';
import { knownMigrations } from '../../src/db/migrations/schema-state';
import { createTestDatabase, type TestDatabase } from '../support/database';

let database: TestDatabase;
let migrations: Knex;

beforeAll(async () => {
  database = await createTestDatabase('template1');
  migrations = knex(createKnexConfig(database.ownerUrl));
});
afterAll(async () => {
  await migrations.destroy();
  await database.drop();
});

/** Every named object of the schema, except Knex's own tables. */
async function objects(): Promise<string[]> {
  const { rows } = await database.admin.query<{ name: string }>(
    `SELECT 'table ' || relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i', 'S') AND relname NOT LIKE 'knex_%'
     UNION ALL SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     UNION ALL SELECT 'constraint ' || conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conname NOT LIKE 'knex_%'
     ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

test('migrations go up, all the way down, and up again to the same schema', async () => {
  await migrations.migrate.latest();
  const first = await objects();
  expect(first.length).toBeGreaterThan(50);
  for (let left = knownMigrations().length; left > 0; left -= 1) await migrations.migrate.down();
  expect(await objects()).toEqual([]);
  await migrations.migrate.latest();
  expect(await objects()).toEqual(first);
});

test.each([
  ['statement_day.changed', '20261201013500_statement_day_events'],
  ['sandbox.reset', '20261129205500_sandbox_reset_events'],
])('an event %s in a feed blocks no way back, and stays there', async (type, migration) => {
  const [told, queued] = [randomUUID(), randomUUID()];
  const { rows } = await database.admin.query<{ id: number }>(
    'SELECT environment_id AS id FROM environments',
  );
  const environmentId = rows[0]!.id;
  for (const eventId of [told, queued]) {
    await database.admin.query(
      `INSERT INTO environment_events (environment_id, event_id, type, recorded_at, audience, data)
       VALUES ($1, $2, $3, now(), '{}', '{}')`,
      [environmentId, eventId, type],
    );
  }
  await database.admin.query(
    'INSERT INTO event_queue (environment_id, event_id, queued_at) VALUES ($1, $2, now())',
    [environmentId, queued],
  );
  await database.admin.query('INSERT INTO feeds (environment_id, last_sequence) VALUES ($1, 1)', [
    environmentId,
  ]);
  await database.admin.query(
    `INSERT INTO feed_events (environment_id, sequence, event_id, owner_environment_id, type, recorded_at, audience, data)
     SELECT environment_id, 1, event_id, environment_id, type, recorded_at, audience, data
       FROM environment_events WHERE event_id = $1`,
    [told],
  );
  const idsIn = async (table: string): Promise<string[]> =>
    (await database.admin.query<{ id: string }>(`SELECT event_id AS id FROM ${table}`)).rows.map(
      ({ id }) => id,
    );
  await migrations.migrate.down({ name: migration });
  // The previous version would set the queued event aside.
  expect([await idsIn('event_queue'), await idsIn('environment_events'), await idsIn('feed_events')]).toEqual(
    [[], [told], [told]],
  );
  const again = `INSERT INTO environment_events (environment_id, event_id, type, recorded_at, audience, data)
    SELECT environment_id, gen_random_uuid(), type, recorded_at, audience, data FROM environment_events`;
  await expect(database.admin.query(again)).rejects.toMatchObject({
    constraint: 'environment_events_type_known',
  });
  await migrations.migrate.latest();
  await database.admin.query(`${again} RETURNING event_id`);
  await database.admin.query('DELETE FROM environment_events; DELETE FROM feed_events; DELETE FROM feeds');
});

test('no migration has a date that has not come yet', () => {
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  expect(knownMigrations().filter((name) => name.slice(0, 8) > today)).toEqual([]);
});

test('a migration without a transaction, which allows no trial run of its down, drops no table and no column', async () => {
  const { migrationSource: source } = createKnexConfig(database.ownerUrl)
    .migrations as Required<Knex.MigratorConfig>;
  for (const entry of (await source.getMigrations([])).reverse()) {
    const name = source.getMigrationName(entry);
    const before = await readColumns(migrations);
    await migrations.migrate.down({ name });
    const isGuarded = isInTransaction(await source.getMigration(entry));
    const dropped = isGuarded ? [] : droppedParts(before, await readColumns(migrations));
    expect([name, dropped]).toEqual([name, []]);
  }
  await migrations.migrate.latest();
});

test('the database stores migration names without an extension, so that sources and build agree', async () => {
  const rows = await migrations<{ name: string }>('knex_migrations').orderBy('id').select('name');
  expect(rows.map(({ name }) => name)).toEqual(knownMigrations());
});

test('no constraint has a generated name', async () => {
  const { rows } = await database.admin.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace AND contype <> 'n' AND conrelid::regclass::text NOT LIKE 'knex_%'
        AND (conname ~ '_check\\d*$' OR conname ~ '_key\\d+$' OR conname ~ '_fkey\\d+$')`,
  );
  expect(rows).toEqual([]);
});

test('every unique key of a table that partners write to starts with the environment', async () => {
  const { rows } = await database.admin.query<{ table: string; name: string; first: string }>(
    `SELECT i.indrelid::regclass::text AS "table", i.indexrelid::regclass::text AS name, a.attname AS first
       FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
      WHERE i.indisunique AND i.indrelid::regclass::text IN ('users', 'transactions', 'supports', 'story_views', 'events')`,
  );
  expect(rows.length).toBeGreaterThanOrEqual(7);
  expect(rows.filter(({ first }) => first !== 'environment_id')).toEqual([]);
});

test('a migration that must wait for a lock times out after a second', async () => {
  const blocker = await database.admin.connect();
  try {
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE events IN ACCESS SHARE MODE');
    const dropsEvents = { name: '20261128000000_baseline' };
    await expect(migrations.migrate.down(dropsEvents)).rejects.toThrow(/lock timeout/);
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
});
