import { randomBytes } from 'node:crypto';

import { Client, Pool } from 'pg';

import { createOwnedDatabase } from '../../src/db/roles/roles';
import { templateDatabase } from './global-setup';
import { roleUrl } from './role-url';

/**
 * A database of its own for one test file, with the roles of production, and a superuser's way into
 * it.
 */
export interface TestDatabase {
  /** As the role that the service runs under: it may do what the service does, and nothing else. */
  url: string;
  /** As the role that owns everything: for migrations and seeds. */
  ownerUrl: string;
  /** As one operator: for what the commands do. */
  operatorUrl: string;
  adminUrl: string;
  /** For looking at what the service left, and for what an operator would do by hand. */
  admin: Pool;
  drop(): Promise<void>;
}

async function onServer(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: roleUrl('superuser', 'postgres') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Creates a database; a copy of the migrated template unless another one is named. */
export async function createTestDatabase(template = templateDatabase): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer((client) => createOwnedDatabase(client, name, template));
  const adminUrl = roleUrl('superuser', name);
  const admin = new Pool({ connectionString: adminUrl, max: 5 });
  // A test may end the connections of its database.
  admin.on('error', () => undefined);
  return {
    url: roleUrl('service', name),
    ownerUrl: roleUrl('owner', name),
    operatorUrl: roleUrl('operator', name),
    adminUrl,
    admin,
    async drop() {
      await admin.end();
      await onServer((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}
