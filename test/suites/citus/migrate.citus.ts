import knex from 'knex';
import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { tableKinds } from '../../../src/db/citus/table-kinds';
import { createKnexConfig } from '../../../src/db/migrations/knex-config';
import { MigrationError } from '../../../src/db/migrations/migration-error';
import { migrateDown, migrateUp } from '../../../src/db/migrations/migrator';
import { appliedFiles, schemaFile } from '../../../src/db/migrations/schema-files';
import { knownMigrations } from '../../../src/db/migrations/schema-state';
import { citusNodeUrls, createCitusDatabase, dropCitusDatabase } from '../../support/citus/databases';
import { roleUrl } from '../../support/role-url';

/** `npm run migrate` on a coordinator, from an empty database. */
const name = 'test_migrate';
const nodes = citusNodeUrls() ?? [];
let admin: Client;
let lines: string[];

beforeAll(async () => {
  await createCitusDatabase(nodes, name, 4);
  admin = new Client(sessionConfig({ connectionString: roleUrl('superuser', name) }));
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await dropCitusDatabase(nodes, name);
});
beforeEach(() => {
  lines = [];
});

/** All migrations up and down take about 40 s on an idle machine. */

const options = () => ({
  connectionString: roleUrl('owner', name),
  onProgress: (line: string) => void lines.push(line),
});

/** The kind of each table, as Citus stores it. */
async function storedKinds(): Promise<Record<string, string>> {
  const { rows } = await admin.query<{ name: string; kind: string }>(
    `SELECT c.relname AS name,
            CASE p.partmethod WHEN 'h' THEN 'distributed' WHEN 'n' THEN CASE p.repmodel WHEN 't' THEN 'reference' ELSE 'citus-local' END
                 ELSE 'local' END AS kind
       FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')`,
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.kind]));
}

test('all migrations and the distribution run in one command, and it reports the tables', async () => {
  expect((await migrateUp(options())).migrations).toEqual(knownMigrations());
  expect(await storedKinds()).toEqual(tableKinds);
  expect(lines.join('\n')).toContain('tables distributed by environment_id: users, account_days');
  expect(lines.join('\n')).toContain('reference tables on every node: bank_links, companies');
});

test('all distributed tables are colocated', async () => {
  const { rows } = await admin.query<{ count: number }>(
    `SELECT count(DISTINCT colocationid)::int AS count FROM pg_dist_partition WHERE partmethod = 'h'`,
  );
  expect(rows).toEqual([{ count: 1 }]);
});

test('a second run changes nothing and reports no table', async () => {
  expect(await migrateUp(options())).toEqual({ migrations: [], files: [] });
  expect(lines).toEqual([expect.stringMatching(/^distribution: done in/)]);
});

test('the guards of contributions and events are on every shard', async () => {
  const { rows } = await admin.query<{ result: string }>(
    `SELECT result FROM run_command_on_shards('transactions', $$SELECT count(*) FROM pg_trigger
       WHERE tgrelid = '%s'::regclass AND NOT tgisinternal$$)`,
  );
  expect(rows.map(({ result }) => result)).toEqual(['2', '2', '2', '2']);
});

test('a changed function and a changed guard reach every node, and keep what Citus needs', async () => {
  const files = appliedFiles().map(({ path, text }) =>
    /(complete_contribution|complete_contribution_of|guard_transactions)\.sql$/.test(path)
      ? schemaFile(path, text.replace('BEGIN\n', 'BEGIN\n  -- of the next release\n'))
      : schemaFile(path, text),
  );
  const { files: changed } = await migrateUp({ ...options(), files });
  expect(changed).toHaveLength(3);
  const { rows: nodes } = await admin.query<{ result: string }>(
    `SELECT result FROM run_command_on_all_nodes($$SELECT string_agg(proname || ': ' || array_to_string(proconfig, '; '), ', ' ORDER BY proname)
       FROM pg_proc WHERE prosrc LIKE '%of the next release%' AND prorettype <> 'trigger'::regtype$$)`,
  );
  const path = 'search_path=public, pg_temp';
  const expected = `complete_contribution: ${path}; citus.function_opens_transaction_block=off, complete_contribution_of: ${path}; plan_cache_mode=force_custom_plan`;
  expect(nodes.map(({ result }) => result)).toEqual([expected, expected, expected]);
  const { rows: delegated } = await admin.query(
    `SELECT distribution_argument_index AS argument, force_delegation AS forced FROM pg_dist_object
      WHERE classid = 'pg_proc'::regclass AND objid = 'complete_contribution_of'::regproc`,
  );
  expect(delegated).toEqual([{ argument: 0, forced: true }]);
  const { rows: shards } = await admin.query<{ result: string }>(
    `SELECT result FROM run_command_on_shards('transactions', $$SELECT string_agg(t.tgname || ' ' || (p.prosrc LIKE '%%next release%%'), ', ' ORDER BY t.tgname)
       FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgrelid = '%s'::regclass AND NOT t.tgisinternal$$)`,
  );
  for (const { result } of shards)
    expect(result).toMatch(/^transactions_guard_\d+ true, transactions_guard_truncate_\d+ true$/);
  expect(await migrateUp({ ...options(), files })).toEqual({ migrations: [], files: [] });
  expect((await migrateUp(options())).files).toEqual(changed);
});

test('all migrations can be reverted, and applied again', async () => {
  for (const migration of knownMigrations().reverse()) {
    expect(await migrateDown(options(), 'everything')).toBe(migration);
  }
  expect(Object.keys(await storedKinds()).sort()).toEqual(['knex_migrations', 'knex_migrations_lock']);
  expect((await migrateUp(options())).migrations).toEqual(knownMigrations());
  expect(await storedKinds()).toEqual(tableKinds);
});

test('rows and the sequence of a table with data survive the distribution', async () => {
  for (const migration of knownMigrations().reverse()) {
    expect(await migrateDown(options(), 'everything')).toBe(migration);
  }
  // Knex's own command does not distribute.
  const migrations = knex(createKnexConfig(roleUrl('owner', name)));
  await migrations.migrate.latest();
  await migrations.destroy();
  await admin.query(`
    INSERT INTO companies (company_id, name) VALUES (gen_random_uuid(), 'Acme');
    INSERT INTO environments (company_id, kind, transaction_tag)
      SELECT company_id, kind, tag
        FROM companies, (VALUES ('test', 'ABCD'), ('production', 'ABCE')) AS e (kind, tag) WHERE name = 'Acme';
    INSERT INTO users (environment_id, user_hash)
      SELECT environment_id, hash
        FROM environments, unnest(ARRAY['first', 'second', 'third']) AS hash WHERE transaction_tag = 'ABCD';
    DELETE FROM users WHERE user_hash = 'third'`);
  await migrateUp(options());
  const { rows: users } = await admin.query('SELECT user_id::int AS id, user_hash FROM users ORDER BY 1');
  expect(users).toEqual([
    { id: 1, user_hash: 'first' },
    { id: 2, user_hash: 'second' },
  ]);
  const { rows: next } = await admin.query(
    `INSERT INTO users (environment_id, user_hash) VALUES (1, 'fourth') RETURNING user_id::int AS id`,
  );
  expect(next).toEqual([{ id: 4 }]);
  const { rows: environment } = await admin.query(
    `SELECT nextval(pg_get_serial_sequence('environments', 'environment_id')) > max(environment_id) AS is_new
       FROM environments`,
  );
  expect(environment).toEqual([{ is_new: true }]);
});

test('a worker is rejected', async () => {
  const worker = new URL(nodes[1] ?? '');
  worker.pathname = `/${name}`;
  worker.username = 'contribution_owner';
  const run = migrateUp({ connectionString: worker.href });
  await expect(run).rejects.toThrow(MigrationError);
  await expect(run).rejects.toThrow('This database is a worker of a Citus cluster');
});
