import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import knex from 'knex';

import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/embedded-postgres';
import { createKnexConfig } from '../../src/db/knex-config';

/** The database that every test file gets a copy of. */
export const templateDatabase = 'contribution_template';

declare global {
  var testPostgres: { server: EmbeddedPostgres; dataDirectory: string } | undefined;
}

/**
 * One real PostgreSQL for the whole run, with one migrated template: the embedded one, or the server of TEST_POSTGRES_URL
 * (a superuser's, with a password), to run the same tests on another version.
 */
export default async function setUp(): Promise<void> {
  const serverUrl = (process.env['TEST_POSTGRES_URL'] ??= await startEmbedded());
  const templateUrl = new URL(serverUrl);
  templateUrl.pathname = `/${templateDatabase}`;

  const admin = knex({ client: 'pg', connection: serverUrl });
  await admin.raw(`DROP DATABASE IF EXISTS ${templateDatabase}`);
  await admin.raw(`CREATE DATABASE ${templateDatabase}`);
  await admin.destroy();
  const template = knex(createKnexConfig(templateUrl.href));
  await template.migrate.latest();
  await template.destroy();
}

async function startEmbedded(): Promise<string> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'contribution-test-'));
  // The account that PostgreSQL runs under when this is root must get through.
  chmodSync(dataDirectory, 0o711);
  const server = await startEmbeddedPostgres({
    dataDirectory,
    // The data is thrown away after the run. What durability gives is tested on a server of its own.
    settings: { fsync: 'off', max_connections: '200' },
  });
  globalThis.testPostgres = { server, dataDirectory };
  return server.connectionString('postgres');
}
