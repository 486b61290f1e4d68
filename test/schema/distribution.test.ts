import knex from 'knex';

import {
  delegatedFunctions,
  distributionColumn,
  keysWithoutCluster,
  tableKinds,
} from '../../src/db/citus/table-kinds';
import { createKnexConfig } from '../../src/db/migrations/knex-config';
import { splitSql } from '../../src/db/migrations/split-sql';
import { createTestDatabase, type TestDatabase } from '../support/database';

/** Every table declares how a Citus cluster stores it, and the declaration can be carried out. */
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const tablesOf = (kind: string): string[] =>
  Object.keys(tableKinds).filter((table) => tableKinds[table] === kind);

test('every table declares that it is distributed, reference or local', async () => {
  const { rows } = await database.admin.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`,
  );
  expect(Object.keys(tableKinds).sort()).toEqual(rows.map(({ name }) => name).sort());
});

test('every unique index of a distributed table contains the environment', async () => {
  const { rows } = await database.admin.query<{ table: string; name: string; is_covered: boolean }>(
    `SELECT i.indrelid::regclass::text AS "table", i.indexrelid::regclass::text AS name,
            EXISTS (SELECT FROM pg_attribute a
                     WHERE a.attrelid = i.indrelid AND a.attname = $2 AND a.attnum = ANY (i.indkey)) AS is_covered
       FROM pg_index i
      WHERE i.indisunique AND i.indrelid::regclass::text = ANY ($1)`,
    [tablesOf('distributed'), distributionColumn],
  );
  expect(new Set(rows.map(({ table }) => table))).toEqual(new Set(tablesOf('distributed')));
  expect(rows.filter((row) => !row.is_covered)).toEqual([]);
});

test('no foreign key leads to a local table, or from a reference table to a distributed one', async () => {
  const { rows } = await database.admin.query<{ name: string; from: string; to: string }>(
    `SELECT conname AS name, conrelid::regclass::text AS "from", confrelid::regclass::text AS "to"
       FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
  );
  expect(rows.length).toBeGreaterThan(10);
  expect(
    rows.filter(
      ({ from, to }) =>
        tableKinds[to] === 'local' || (tableKinds[from] === 'reference' && tableKinds[to] === 'distributed'),
    ),
  ).toEqual([]);
});

test('a foreign key between distributed tables contains the environment on both sides', async () => {
  const { rows } = await database.admin.query<{ name: string; definition: string }>(
    `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE contype = 'f' AND conrelid::regclass::text = ANY ($1) AND confrelid::regclass::text = ANY ($1)`,
    [tablesOf('distributed')],
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ definition }) => definition.match(/\(environment_id\b/g)?.length !== 2)).toEqual([]);
});

test('the foreign keys that a cluster omits exist', async () => {
  const { rows } = await database.admin.query<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND conname = ANY ($1)`,
    [[...keysWithoutCluster]],
  );
  expect(rows.map(({ name }) => name).sort()).toEqual([...keysWithoutCluster].sort());
});

test('every delegated function exists once, with the argument that names the tenant', async () => {
  const { rows } = await database.admin.query<{ name: string; arguments: string[] }>(
    `SELECT proname AS name, proargnames AS arguments FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND proname = ANY ($1)`,
    [Object.keys(delegatedFunctions)],
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(delegatedFunctions).sort());
  for (const { name, arguments: names } of rows) expect(names).toContain(delegatedFunctions[name]);
});

test('a migration sends each statement separately, because Citus rejects several in one command', async () => {
  const other = await createTestDatabase('template1');
  const migrations = knex(createKnexConfig(other.ownerUrl));
  const sent: string[] = [];
  migrations.on('query', ({ sql }: { sql: string }) => sent.push(sql));
  try {
    await migrations.migrate.latest();
    await migrations.migrate.rollback(undefined, true);
    expect(sent.length).toBeGreaterThan(100);
    expect(sent.filter((sql) => splitSql(sql).length > 1)).toEqual([]);
  } finally {
    await migrations.destroy();
    await other.drop();
  }
});
