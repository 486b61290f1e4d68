import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { runsAsRoot, unprivilegedAccount } from '../../../packages/local-postgres/src/account';
import { findPackage, prepareBinaries } from '../../../packages/local-postgres/src/binaries';
import { migrateUp } from '../../../src/db/migrations/migrator';
import { createOwnedDatabase, ensureRoles, ownerRole, serviceRole } from '../../../src/db/roles/roles';
import type { Query } from './journal/check';
import { type LoadWorld, startLoadWorld } from './load-world';
import { startTcpProxy, type TcpProxy } from './network/tcp-proxy';
import { PostgresPair } from './postgres/postgres-pair';
import type { PostgresServer } from './postgres/postgres-server';
import { createTenants } from './tenants';

export const databaseName = 'contribution_service';

/**
 * Everything that a fault may affect:
 *
 *   clients → clientProxy → service → databaseProxy → primary → standby
 *   receivers ← delivery → databaseProxy
 */
export interface World extends LoadWorld {
  readonly pair: PostgresPair;
  readonly databaseProxy: TcpProxy;
}

/** Starts everything; partners and banks are idle. */
export async function createWorld(seed: number): Promise<World> {
  const directory = await mkdtemp(path.join(tmpdir(), 'contribution-faults-'));
  // If this process is root, PostgreSQL runs under another account, which must reach the folder.
  await chmod(directory, 0o711);
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (let next = stops.pop(); next; next = stops.pop()) await next();
  };
  try {
    const account = runsAsRoot() ? await unprivilegedAccount() : undefined;
    const binaries = await prepareBinaries({
      packageDirectory: findPackage(),
      copyParent: directory,
      account,
      onProgress: () => undefined,
    });
    const superuserPassword = randomBytes(12).toString('hex');
    const pair = await PostgresPair.create(directory, { binaries, account, superuserPassword });
    stops.push(() => pair.remove());
    const { ownerUrl, serviceUrl } = await createDatabase(pair.primary);
    await migrateUp({ connectionString: ownerUrl });
    const pepper = randomBytes(32).toString('hex');
    const tenants = await createTenants(ownerUrl, pepper);
    await pair.attachStandby();

    const databaseProxy = await startTcpProxy(pair.primary.options.port);
    stops.push(() => databaseProxy.stop());
    const databaseUrl = new URL(serviceUrl);
    databaseUrl.port = String(databaseProxy.port);
    const query: Query = (text, values) => pair.primary.query(text, values, databaseName);
    const load = await startLoadWorld({
      directory,
      seed,
      tenants,
      stops,
      query,
      settings: { DATABASE_URL: databaseUrl.href, CREDENTIAL_PEPPERS: `1:${pepper}` },
    });
    return {
      ...load,
      pair,
      databaseProxy,
      query,
      superuserUrl: () => pair.primary.url(databaseName),
      untilIdle: () => waitUntilIdle(pair),
      async stop({ keepLogs }) {
        await stop();
        if (!keepLogs) await rm(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Queries whose client has disconnected may still be running. */
async function waitUntilIdle(pair: PostgresPair): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    const rows = await pair.primary.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'contribution-service' AND state <> 'idle'`,
    );
    if (rows.length === 0) return;
    await delay(50);
  }
}

/** With the two production roles. */
async function createDatabase(server: PostgresServer): Promise<{ ownerUrl: string; serviceUrl: string }> {
  const passwords = { owner: randomBytes(12).toString('hex'), service: randomBytes(12).toString('hex') };
  const superuser = new Client(sessionConfig({ connectionString: server.url('postgres'), ssl: false }));
  await superuser.connect();
  try {
    await ensureRoles(superuser, passwords);
    await createOwnedDatabase(superuser, databaseName);
  } finally {
    await superuser.end();
  }
  return {
    ownerUrl: server.url(databaseName, ownerRole, passwords.owner),
    serviceUrl: server.url(databaseName, serviceRole, passwords.service),
  };
}
