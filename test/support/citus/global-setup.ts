import { randomBytes } from 'node:crypto';

import { migrateUp } from '../../../src/db/migrations/migrator';
import { templateDatabase } from '../template-database';
import { roleUrl } from '../role-url';
import { type CitusCluster, startCitusCluster } from './cluster';
import { createCitusDatabase, sealTemplate } from './databases';
import { createRoles } from './roles';

declare global {
  var testCitus: CitusCluster | undefined;
}

/** Each worker has several shards, and all can be copied quickly. */
const shardCount = 4;

/** A cluster of three nodes for the run, with the production roles and a migrated template. */
export default async function setUpCitus(): Promise<void> {
  const cluster = await startCitusCluster();
  globalThis.testCitus = cluster;
  const urls = cluster.nodes.map((node) => node.url('postgres'));
  process.env['TEST_POSTGRES_URL'] = urls[0];
  process.env['TEST_CITUS_NODES'] = JSON.stringify(urls);
  const password = (): string => randomBytes(24).toString('base64url');
  const passwords = { owner: password(), service: password(), operator: password() };
  process.env['TEST_OWNER_PASSWORD'] = passwords.owner;
  process.env['TEST_SERVICE_PASSWORD'] = passwords.service;
  process.env['TEST_OPERATOR_PASSWORD'] = passwords.operator;
  await createRoles(urls, passwords);
  await createCitusDatabase(urls, templateDatabase, shardCount);
  await migrateUp({ connectionString: roleUrl('owner', templateDatabase) });
  await sealTemplate(urls, templateDatabase);
}
