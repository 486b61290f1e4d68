import { randomBytes } from 'node:crypto';

import { Client, Pool } from 'pg';

import { templateDatabase } from './global-setup';

/** A database of its own for one test file, and a superuser's way into it. */
export interface TestDatabase {
  url: string;
  /** For looking at what the service left, and for what an operator would do by hand. */
  admin: Pool;
  drop(): Promise<void>;
}

function serverUrl(database: string): string {
  const url = new URL(process.env['TEST_POSTGRES_URL'] ?? '');
  url.pathname = `/${database}`;
  return url.href;
}

async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl('postgres') });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Creates a database; a copy of the migrated template unless another one is named. */
export async function createTestDatabase(template = templateDatabase): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = serverUrl(name);
  const admin = new Pool({ connectionString: url, max: 5 });
  // A test may end the connections of its database.
  admin.on('error', () => undefined);
  return {
    url,
    admin,
    async drop() {
      await admin.end();
      await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
