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

/** One real PostgreSQL for the whole run, with one migrated template. */
export default async function setUp(): Promise<void> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), 'contribution-test-'));
  // The account that PostgreSQL runs under when this is root must get through.
  chmodSync(dataDirectory, 0o711);
  const server = await startEmbeddedPostgres({
    dataDirectory,
    // The data is thrown away after the run. What durability gives is tested on a server of its own.
    settings: { fsync: 'off', max_connections: '200' },
  });
  globalThis.testPostgres = { server, dataDirectory };
  process.env['TEST_POSTGRES_URL'] = server.connectionString('postgres');

  const admin = knex({ client: 'pg', connection: server.connectionString('postgres') });
  await admin.raw(`CREATE DATABASE ${templateDatabase}`);
  await admin.destroy();
  const template = knex(createKnexConfig(server.connectionString(templateDatabase)));
  await template.migrate.latest();
  await template.destroy();
}
