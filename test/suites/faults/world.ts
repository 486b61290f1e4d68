import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import knex from 'knex';
import { Client } from 'pg';

import { runsAsRoot, unprivilegedAccount } from '../../../src/db/embedded/account';
import { findPackage, prepareBinaries } from '../../../src/db/embedded/binaries';
import { createKnexConfig } from '../../../src/db/migrations/knex-config';
import { createOwnedDatabase, ensureRoles, ownerRole, serviceRole } from '../../../src/db/roles/roles';
import { freePort } from '../../support/program';
import { withoutRateLimits } from '../../support/without-rate-limits';
import type { Tenants } from './clients/environments';
import { createHttpClient, type HttpClient } from './clients/http';
import { type FeedReaders, startFeedReaders } from './clients/feed-reader';
import { type Load, startLoad } from './clients/load';
import { Journal } from './journal/journal';
import { startTcpProxy, type TcpProxy } from './network/tcp-proxy';
import { PostgresPair } from './postgres/postgres-pair';
import type { PostgresServer } from './postgres/postgres-server';
import { createRandom } from './random';
import { SupervisedService } from './service/supervised-service';
import { createTenants } from './tenants';

export const databaseName = 'contribution_service';

/**
 * Everything that a fault may affect:
 *
 *   clients → clientProxy → service → databaseProxy → primary → standby
 */
export interface World {
  readonly pair: PostgresPair;
  readonly databaseProxy: TcpProxy;
  readonly service: SupervisedService;
  readonly clientProxy: TcpProxy;
  readonly http: HttpClient;
  readonly journal: Journal;
  readonly tenants: Tenants;
  readonly load: Load;
  readonly readers: FeedReaders;
  /** The folder of the logs. */
  readonly directory: string;
  stop(options: { keepLogs: boolean }): Promise<void>;
}

/** Starts everything; partners and banks are idle. */
export async function createWorld(seed: number): Promise<World> {
  const directory = await mkdtemp(path.join(tmpdir(), 'contribution-faults-'));
  // PostgreSQL runs under another account when this is root, and needs access to the folder.
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
    await migrate(ownerUrl);
    const pepper = randomBytes(32).toString('hex');
    const tenants = await createTenants(ownerUrl, pepper);
    await pair.attachStandby();

    const databaseProxy = await startTcpProxy(pair.primary.options.port);
    stops.push(() => databaseProxy.stop());
    const servicePort = await freePort();
    const databaseUrl = new URL(serviceUrl);
    databaseUrl.port = String(databaseProxy.port);
    const service = new SupervisedService({
      directory,
      settings: {
        NODE_ENV: 'production',
        PORT: String(servicePort),
        METRICS_PORT: 'off',
        PUBLIC_BASE_URL: 'https://api.example',
        TRUSTED_PROXIES: '127.0.0.1',
        DATABASE_URL: databaseUrl.href,
        ...withoutRateLimits,
        CREDENTIAL_PEPPERS: `1:${pepper}`,
      },
    });
    stops.push(() => service.stop());
    await service.start();
    const clientProxy = await startTcpProxy(servicePort);
    stops.push(() => clientProxy.stop());
    const http = createHttpClient(clientProxy.port);
    stops.push(() => {
      http.close();
      return Promise.resolve();
    });
    const journal = new Journal();
    const load = startLoad({ http, journal, tenants, random: createRandom(seed) });
    stops.push(() => load.stop());
    const readers = startFeedReaders({ http, journal, tenants });
    stops.push(() => readers.stop());
    return {
      pair,
      databaseProxy,
      service,
      clientProxy,
      http,
      journal,
      tenants,
      load,
      readers,
      directory,
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

/** With the two production roles. */
async function createDatabase(server: PostgresServer): Promise<{ ownerUrl: string; serviceUrl: string }> {
  const passwords = { owner: randomBytes(12).toString('hex'), service: randomBytes(12).toString('hex') };
  const superuser = new Client({ connectionString: server.url('postgres'), ssl: false });
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

async function migrate(ownerUrl: string): Promise<void> {
  const database = knex(createKnexConfig(ownerUrl));
  try {
    await database.migrate.latest();
  } finally {
    await database.destroy();
  }
}
