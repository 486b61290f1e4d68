import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import pino from 'pino';

import { type Config, readSettings } from '../../src/read-settings';
import { listSettings } from '../../src/contracts';
import type { Container } from '../../src/container';
import type { Feature } from '../../src/feature';
import { createOperatorDatabase } from '../../src/db/operator-database';
import type { CompaniesService } from '../../src/core/companies/companies.service';
import type { KeyPairsService } from '../../src/core/key-pairs/key-pairs.service';
import type { Resolve } from '../../src/features/webhooks/sending/destinations';
import { createOperations } from '../../src/operator/commands/operations';
import type { Logger } from '../../src/shared/logger';
import type { EnvironmentKind, Scope } from '../../src/shared/scopes';
import { citusSettings, isCitus } from './citus/databases';
import { assembleService } from './assemble-service';
import { canary } from './canary-requests';
import { createClient, type Client } from './client';
import { createTestDatabase, type TestDatabase } from './database';
import { watchResponses } from './openapi/watched-responses';
import { createLeakWatch, type LeakWatch, watchErrorResponses } from './leaks';
import { patientLimits } from './patient-limits';
import { poolerSettings, setTimeouts, throughPooler } from './pooler';
import { withoutRateLimits } from './without-rate-limits';
import { scopes as allScopes, scopesOfKind } from './scopes';

/** Those of `operatorSettings`. */
export const testPeppers = new Map([[1, Buffer.from('a-pepper-for-the-tests-of-the-operator')]]);
export const publicBaseUrl = 'https://api.test';

/** A company with a client for each environment that sends its credentials. */
export interface TestCompany {
  name: string;
  test: Client;
  production: Client;
}

export interface TestService {
  config: Config;
  container: Container;
  server: Server;
  port: number;
  database: TestDatabase;
  companies: CompaniesService;
  keyPairs: KeyPairsService;
  /** Every line that the service has logged. */
  logLines: string[];
  logger: Logger;
  /**
   * Searches every log line and error response for canaries and secrets. `stop` throws if any was
   * found.
   */
  leaks: LeakWatch;
  /** A company with a key pair for each environment; `scopes` restricts both pairs. */
  addCompany(name?: string, scopes?: readonly Scope[]): Promise<TestCompany>;
  /** A client with a new key pair of an existing company. */
  addPair(company: TestCompany, kind: EnvironmentKind, scopes: readonly Scope[]): Promise<Client>;
  /** A client without credentials. */
  anonymous: Client;
  stop(): Promise<void>;
}

export interface TestServiceOptions {
  settings?: Record<string, string>;
  /** An existing database. */
  database?: TestDatabase;
  /** The URL that the service uses, if it differs from the database's own URL. */
  databaseUrl?: string;
  /**
   * The interval of background work; by default as in production. With one database connection,
   * background work then only runs when it is woken: the connection is for the requests.
   */
  pollMs?: number;
  /** Replaces the resolver of host names. */
  resolveHost?: Resolve;
  /** `false` as after a start without a database. By default what the server is. */
  isOneServer?: boolean;
  /** The features beside the core; by default all. */
  features?: readonly Feature[];
}

const forProduction = (scopes: readonly Scope[]): Scope[] =>
  scopesOfKind('production').filter((scope) => scopes.includes(scope));

/** The whole service over HTTP, on a separate database. */
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await createTestDatabase());
  // No pooler when the test uses a proxy.
  const pooledUrl = options.databaseUrl === undefined ? throughPooler(database.url) : undefined;
  const settings = { ...patientLimits, ...options.settings };
  if (pooledUrl !== undefined || isCitus) await setTimeouts(database.url, settings);
  const databaseUrl = options.databaseUrl ?? pooledUrl ?? database.url;
  const config = readSettings(
    {
      DATABASE_URL: databaseUrl,
      // Without TLS and without a proxy, except in production.
      ALLOW_PLAIN_HTTP: options.settings?.['NODE_ENV'] === 'production' ? 'off' : 'on',
      LOG_LEVEL: 'trace',
      // Slow-statement lines on a busy machine would break tests that compare log lines.
      SLOW_STATEMENT_MS: 'off',
      // Tests change the catalogue and read it at once.
      CATALOGUE_MAX_AGE_MS: '0',
      // Each connection plans its statements again. Few requests of a test are concurrent.
      DATABASE_POOL_SIZE: '4',
      // Most tests count statements or connections. Tests of events turn it on.
      DELIVERY: 'off',
      ...(pooledUrl === undefined ? {} : poolerSettings),
      ...(isCitus ? citusSettings : {}),
      ...withoutRateLimits,
      ...settings,
    },
    listSettings(options.features),
  );
  const leaks = createLeakWatch({
    ...canary,
    pepper: [...testPeppers.values()].join(),
    'password of the database': new URL(databaseUrl).password,
  });
  const logLines: string[] = [];
  const logger = pino(
    { level: config.LOG_LEVEL, base: null },
    {
      write(line: string) {
        logLines.push(line);
        leaks.look('log', line);
      },
    },
  );
  const { container, server } = assembleService({
    config,
    databaseUrl,
    peppers: testPeppers,
    publicBaseUrl,
    logger,
    pollMs: options.pollMs ?? (config.DATABASE_POOL_SIZE === 1 ? 3_600_000 : undefined),
    isOneServer: options.isOneServer ?? !isCitus,
    ...(options.resolveHost && { resolveHost: options.resolveHost }),
    ...(options.features && { features: options.features }),
  });
  watchResponses(server);
  watchErrorResponses(server, leaks);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  // Bypasses any proxy between the service and its database.
  const operatorDatabase = createOperatorDatabase(database.ownerUrl);
  const { companies, keyPairs } = createOperations(operatorDatabase, testPeppers);
  const client = (apiKey?: string, apiSecret?: string) => createClient(server, { apiKey, apiSecret });
  let companyCount = 0;

  async function addPair(name: string, kind: EnvironmentKind, scopes: readonly Scope[]): Promise<Client> {
    const { apiKey, apiSecret } = await keyPairs.issue({
      company: name,
      kind,
      scopes,
      expiresAt: undefined,
    });
    return client(apiKey, apiSecret);
  }

  return {
    config,
    container,
    server,
    port,
    database,
    companies,
    keyPairs,
    logLines,
    logger,
    leaks,
    async addCompany(name = `Company ${(companyCount += 1)}`, scopes = allScopes) {
      await companies.create(name);
      return {
        name,
        test: await addPair(name, 'test', scopes),
        production: await addPair(name, 'production', forProduction(scopes)),
      };
    },
    addPair: (company, kind, scopes) => addPair(company.name, kind, scopes),
    anonymous: client(),
    async stop() {
      server.closeAllConnections();
      server.close();
      await container.stop();
      await operatorDatabase.close();
      if (!options.database) await database.drop();
      leaks.assertNothingFound();
    },
  };
}
