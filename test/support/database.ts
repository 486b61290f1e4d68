import { randomBytes } from 'node:crypto';

import type { Pool } from 'pg';

import { createOwnedDatabase } from '../../src/db/roles/roles';
import { citusNodeUrls, copyCitusDatabase, dropCitusDatabase } from './citus/databases';
import { createPool } from './pool';
import { roleUrl } from './role-url';
import { templateDatabase } from './template-database';

/** A database for one test file, with the production roles and a superuser connection. */
export interface TestDatabase {
  /** As the service's role, with its privileges only. */
  url: string;
  /** As the owner role, for migrations and seeds. */
  ownerUrl: string;
  /** As an operator, for commands. */
  operatorUrl: string;
  adminUrl: string;
  /** As a superuser, to inspect data and to make an operator's manual changes. */
  admin: Pool;
  drop(): Promise<void>;
}

let server: Pool | undefined;

/** The connection of this worker that creates and drops databases. */
function serverConnection(): Pool {
  server ??= createPool(roleUrl('superuser', 'postgres'), { max: 1, allowExitOnIdle: true });
  return server;
}

/** Creates a database: a copy of the migrated template, or of the given one. */
export async function createTestDatabase(template = templateDatabase): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const citusNodes = citusNodeUrls();
  if (citusNodes) await copyCitusDatabase(citusNodes, name, template);
  else await createOwnedDatabase(serverConnection(), name, template);
  const adminUrl = roleUrl('superuser', name);
  // Tests disable triggers and create their own.
  const settings = citusNodes ? { 'citus.enable_unsafe_triggers': 'on' } : {};
  const admin = createPool(adminUrl, { max: 5 }, settings);
  return {
    url: roleUrl('service', name),
    ownerUrl: roleUrl('owner', name),
    operatorUrl: roleUrl('operator', name),
    adminUrl,
    admin,
    async drop() {
      await admin.end();
      if (citusNodes) await dropCitusDatabase(citusNodes, name);
      else await serverConnection().query(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
