import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/db/embedded-database';
import { migrateUp } from '../../src/db/migrations/migrator';
import { temporaryFolder } from '../support/program';

/**
 * How a database gets its two roles. Roles belong to a server, so these tests use a separate
 * server.
 */
let folder: ReturnType<typeof temporaryFolder>;
let postgres: EmbeddedDatabase;

const start = () => startEmbeddedDatabase({ dataDirectory: folder.path, settings: { fsync: 'off' } });

/** Runs statements on a separate connection. Several statements in one text return no rows. */
async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(sessionConfig({ connectionString: url }));
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
const asSuperuser = (sql: string, name?: string) => query(postgres.connectionString('superuser', name), sql);

const migrate = (connectionString: string) => migrateUp({ connectionString });

beforeAll(async () => {
  folder = temporaryFolder();
  postgres = await start();
});
afterAll(async () => {
  await postgres.stop();
  folder.remove();
});

test('a migration without the service role says how to create it, and continues once it exists', async () => {
  await asSuperuser('CREATE DATABASE without_role');
  await asSuperuser('DROP ROLE contribution_service');
  const url = postgres.connectionString('superuser', 'without_role');
  await expect(migrate(url)).rejects.toThrow(
    /administrator.*CREATE ROLE contribution_service LOGIN PASSWORD/s,
  );
  await asSuperuser('CREATE ROLE contribution_service NOLOGIN');
  await migrate(url);
  expect(
    await asSuperuser(
      `SELECT has_column_privilege('contribution_service', 'users', 'first_name', 'UPDATE') AS may`,
      'without_role',
    ),
  ).toEqual([{ may: true }]);
});

test('a migration creates the operators group if it is permitted, and otherwise says how; owner privileges are not enough', async () => {
  await asSuperuser(`CREATE DATABASE without_operators OWNER contribution_owner`);
  const ownerUrl = postgres.connectionString('owner', 'without_operators');
  await asSuperuser('DROP OWNED BY contribution_operator', 'without_role');
  await asSuperuser('DROP ROLE contribution_operator');
  await expect(migrate(ownerUrl)).rejects.toThrow(
    /contribution_operator does not exist.*administrator.*CREATE ROLE contribution_operator NOLOGIN/s,
  );
  await asSuperuser(
    'CREATE ROLE contribution_operator NOLOGIN; GRANT contribution_owner TO contribution_operator',
  );
  await expect(migrate(ownerUrl)).rejects.toThrow(
    /contribution_operator owns tables, or may become their owner/,
  );
  await asSuperuser('DROP ROLE contribution_operator');
  await migrate(postgres.connectionString('superuser', 'without_operators'));
  expect(
    await asSuperuser(
      `SELECT rolcanlogin AS may_log_in, has_table_privilege('contribution_operator', 'operator_actions', 'SELECT') AS may_read
         FROM pg_roles WHERE rolname = 'contribution_operator'`,
      'without_operators',
    ),
  ).toEqual([{ may_log_in: false, may_read: true }]);
});

test('the service role cannot migrate, because it must own nothing', async () => {
  // Also restores the password of the test's role.
  await postgres.stop();
  postgres = await start();
  await asSuperuser('CREATE DATABASE one_role OWNER contribution_service');
  await expect(migrate(postgres.connectionString('service', 'one_role'))).rejects.toThrow(
    /contribution_service must own nothing.*DATABASE_OWNER_URL/s,
  );
});
