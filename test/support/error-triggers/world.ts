import { serviceRole } from '../../../src/db/roles/roles';
import type { Scope } from '../../../src/shared/scopes';
import { addProject, addStory, archiveProject } from '../catalogue';
import type { Client, Credentials } from '../client';
import { createTestDatabase, type TestDatabase } from '../database';
import { type PostgresProxy, startPostgresProxy } from '../postgres-proxy';
import { endArmedFaults } from '../sandbox-faults';
import { publicBaseUrl, startService, type TestCompany, type TestService } from '../service';
import { issueUnverifiablePair } from '../unverifiable-pair';
import type { PathValues } from './sample';
import { randomPepper } from '../pepper';
import { scopes } from '../scopes';

/** Settings of further instances on the same database, one for each kind of failure. */
const instanceSettings = {
  /** Requires TLS and trusts no proxy. */
  production: {
    NODE_ENV: 'production',
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
    PUBLIC_BASE_URL: publicBaseUrl,
  },
  /** The operator has configured no key for webhooks. The test is a trusted proxy. */
  withoutKeys: {
    NODE_ENV: 'production',
    CREDENTIAL_PEPPERS: `1:${randomPepper}`,
    PUBLIC_BASE_URL: publicBaseUrl,
    TRUSTED_PROXIES: '127.0.0.1/32',
  },
  /** Does not serve the test environment. */
  otherEnvironment: { SERVED_ENVIRONMENTS: 'production' },
  /** Times out slow clients quickly. */
  impatient: { HEADERS_TIMEOUT_MS: '150', REQUEST_TIMEOUT_MS: '300' },
  /** Has one database connection. */
  small: { DATABASE_POOL_SIZE: '1', DATABASE_ACQUIRE_TIMEOUT_MS: '100' },
  /** Allows one request. */
  narrow: {
    RATE_LIMIT_PER_SECOND: '1',
    COMPLETION_RATE_LIMIT_PER_SECOND: '1',
    RATE_LIMIT_BURST_SECONDS: '1',
  },
  /** Allows one failed authentication. */
  suspicious: { FAILED_AUTHENTICATIONS_PER_PAIR: '1' },
  /** Is shutting down. */
  leaving: {},
} as const;

export type InstanceName = keyof typeof instanceSettings;

export interface BrokenService {
  service: TestService;
  client: Client;
  values: PathValues;
}

/** A service with everything that is needed to cause an error. */
export interface World {
  service: TestService;
  database: TestDatabase;
  /** The proxy between the service and the database. Other instances connect directly. */
  proxy: PostgresProxy;
  company: TestCompany;
  /** The company's test key pair with every scope. */
  client: Client;
  archivedProjectId: number;
  /** Another instance on the same database. */
  instance(name: InstanceName): Promise<TestService>;
  /** A service whose role has lost its privileges, and the previous privileges. */
  withoutPrivileges(): Promise<BrokenService>;
  /** A key pair with every scope except this one. */
  clientWithout(scope: Scope): Promise<Client>;
  /** A key pair whose pepper this service lacks. */
  unverifiable(): Promise<Credentials>;
  /** Values of path parameters. The transaction is new and pending, of 25.00. */
  pathValues(client?: Client): Promise<PathValues>;
  stop(): Promise<void>;
}

const unknownId = '019aa1b2-0000-7000-8000-000000000000';

/** Values of path parameters. The transaction is new and pending, of 25.00. */
async function pathValuesFor(client: Client, projectId: number, storyId: number): Promise<PathValues> {
  const { body } = await client
    .put('/company/integration/contributions/create', {
      project_id: projectId,
      amount: '25.00',
      user_hash: 'somebody',
    })
    .expect(201);
  return {
    project_id: String(projectId),
    story_id: String(storyId),
    transaction_id: String(body.transaction_id),
    return_id: unknownId,
    event_id: unknownId,
    endpoint_id: unknownId,
    replay_id: unknownId,
    file_id: unknownId,
    account_id: unknownId,
    other_account_id: unknownId,
    entry_id: unknownId,
    day: '2026-11-20',
    month: '2026-10',
  };
}

async function breakService(): Promise<BrokenService> {
  const service = await startService();
  const { admin } = service.database;
  const { test: client } = await service.addCompany();
  const projectId = await addProject(admin);
  const values = await pathValuesFor(client, projectId, await addStory(admin, projectId));
  await admin.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${serviceRole}`);
  return { service, client, values };
}

/** Starts the world. The project and the story have the ids in the document's examples. */
export async function createWorld(): Promise<World> {
  const database = await createTestDatabase();
  await endArmedFaults(database.admin);
  const proxy = await startPostgresProxy(database.url);
  const service = await startService({
    database,
    databaseUrl: proxy.url,
    settings: { DATABASE_LOCK_TIMEOUT_MS: '100' },
  });
  const company = await service.addCompany();
  const projectId = await addProject(database.admin);
  const storyId = await addStory(database.admin, projectId);
  const archivedProjectId = await addProject(database.admin);
  await archiveProject(database.admin, archivedProjectId);

  const instances = new Map<InstanceName, Promise<TestService>>();
  let broken: Promise<BrokenService> | undefined;
  let unverifiable: Promise<Credentials> | undefined;
  const restricted = new Map<Scope, Promise<Client>>();
  const once = <Key, Value>(made: Map<Key, Promise<Value>>, key: Key, make: () => Promise<Value>) => {
    const value = made.get(key) ?? make();
    made.set(key, value);
    return value;
  };

  return {
    service,
    database,
    proxy,
    company,
    client: company.test,
    archivedProjectId,
    instance: (name) =>
      once(instances, name, () => startService({ database, settings: instanceSettings[name] })),
    clientWithout: (scope) =>
      once(restricted, scope, () =>
        service.addPair(
          company,
          'test',
          scopes.filter((other) => other !== scope),
        ),
      ),
    unverifiable: () => (unverifiable ??= issueUnverifiablePair(database, company.name)),
    withoutPrivileges: () => (broken ??= breakService()),
    pathValues: (client = company.test) => pathValuesFor(client, projectId, storyId),
    async stop() {
      for (const instance of instances.values()) await (await instance).stop();
      await (await broken)?.service.stop();
      await service.stop();
      await proxy.stop();
      await database.drop();
    },
  };
}
