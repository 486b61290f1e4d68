import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/db/embedded-database';
import { migrateUp } from '../../src/db/migrations/migrator';
import { createOwnedDatabase, ensureRoles, operatorRole } from '../../src/db/roles/roles';
import { hostileDefaults } from './hostile-defaults';
import { operatorLogin, roleUrl } from './role-url';
import { templateDatabase } from './template-database';

declare global {
  var testPostgres: { server: EmbeddedDatabase; dataDirectory: string } | undefined;
}

/**
 * One real PostgreSQL for the whole run, with the production roles, one operator and a migrated
 * template. It is the embedded server, or the server of TEST_POSTGRES_URL (as a superuser, with a
 * password) to test another version. Use a disposable server: the roles get new passwords.
 */
export default async function setUp(): Promise<void> {
  // Runs that share a server share its template, so that no run drops it while another uses it.
  if (process.env['TEST_TEMPLATE_DATABASE'] !== undefined) return;
  const serverUrl = (process.env['TEST_POSTGRES_URL'] ??= await startEmbedded());
  const password = (): string => randomBytes(24).toString('base64url');
  process.env['TEST_OWNER_PASSWORD'] = password();
  process.env['TEST_SERVICE_PASSWORD'] = password();
  process.env['TEST_OPERATOR_PASSWORD'] = password();

  const admin = new Client(sessionConfig({ connectionString: serverUrl }));
  await admin.connect();
  await ensureRoles(admin, {
    owner: process.env['TEST_OWNER_PASSWORD'],
    service: process.env['TEST_SERVICE_PASSWORD'],
  });
  await admin.query(`
    DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${operatorLogin}') THEN CREATE ROLE ${operatorLogin}; END IF;
    END $$;
    GRANT ${operatorRole} TO ${operatorLogin};
    ALTER ROLE ${operatorLogin} LOGIN PASSWORD '${process.env['TEST_OPERATOR_PASSWORD']}'`);
  await admin.query(`DROP DATABASE IF EXISTS ${templateDatabase}`);
  await createOwnedDatabase(admin, templateDatabase);
  await admin.end();
  await migrateUp({ connectionString: roleUrl('owner', templateDatabase) });
}

/**
 * Linux keeps this folder in memory. A copy of the template took 45 ms of CPU time there, and 80 to
 * 330 ms on a disk.
 */
const memoryFolder = '/dev/shm';

/** Whether the folder exists and can hold the databases of a run and their write-ahead log. */
function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 4 * 1024 ** 3;
  } catch {
    return false;
  }
}

async function startEmbedded(): Promise<string> {
  const dataDirectory = mkdtempSync(
    path.join(hasRoom(memoryFolder) ? memoryFolder : tmpdir(), 'contribution-test-'),
  );
  // If this process is root, PostgreSQL runs under another account, which must reach the folder.
  chmodSync(dataDirectory, 0o711);
  const server = await startEmbeddedDatabase({
    dataDirectory,
    settings: {
      ...hostileDefaults,
      // The data is discarded after the run, and the passwords are random. Durability is tested on
      // a separate server. The iterations would take 2 ms of CPU time for each connection.
      fsync: 'off',
      full_page_writes: 'off',
      scram_iterations: '1',
      max_connections: '200',
    },
  });
  globalThis.testPostgres = { server, dataDirectory };
  return server.connectionString('superuser', 'postgres');
}
