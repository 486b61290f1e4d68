import { CannotRun, explainFullDisk } from '@contribution-service/local-postgres';
import knex from 'knex';

import type { Config } from '../read-settings';
import { startEmbeddedDatabase } from '../db/embedded-database';
import { createKnexConfig } from '../db/migrations/knex-config';
import { MigrationError } from '../db/migrations/migration-error';
import { migrateUp } from '../db/migrations/migrator';
import { plainHttpNotice } from './plain-http';
import type { KeyPair } from '../core/key-pairs/credentials';
import { lastDemoContribution } from '../../seeds/demo/users';
import { OperatorError } from '../shared/operator-error';
import { StartupError } from './startup-error';
import { type Demo, demoKeyPair, demoRoleNames, readDemo, writeDemo } from './demo-file';

/** The embedded database with the demo, for a service without DATABASE_URL. */
export interface LocalDatabase {
  databaseUrl: string;
  /**
   * Stores the address of the service for the samples. Call it when the service listens: until
   * then, another program may have the port, and would get the samples' key pairs.
   *
   * @returns the text to print
   */
  announce: () => string;
  /** The demo's key pairs for the test environment, for the examples in the documentation. */
  demo: { sdkHost: KeyPair; bank: KeyPair };
  stop: () => Promise<void>;
}

/**
 * Starts PostgreSQL in the data directory, updates the schema, and seeds the demo the first time.
 *
 * @throws StartupError if the schema cannot be updated, or PostgreSQL cannot run
 */
export const startLocalDatabase = (
  config: Config,
  publicBaseUrl: string,
  onProgress: (line: string) => void,
): Promise<LocalDatabase> =>
  start(config, publicBaseUrl, onProgress).catch(async (error: unknown) => {
    const reason = await explainFullDisk(error, config.DATA_DIRECTORY);
    throw reason instanceof MigrationError || reason instanceof OperatorError || reason instanceof CannotRun
      ? new StartupError(reason.message, { cause: error })
      : error;
  });

async function start(
  config: Config,
  publicBaseUrl: string,
  onProgress: (line: string) => void,
): Promise<LocalDatabase> {
  const postgres = await startEmbeddedDatabase({ dataDirectory: config.DATA_DIRECTORY, onProgress });
  try {
    const isFirstStart = await prepare(postgres.connectionString('owner'), onProgress);
    const demo = readDemo(config.DATA_DIRECTORY);
    if (!demo) throw new Error('demo.json is missing: remove the data directory and start again');
    return {
      databaseUrl: postgres.connectionString('service'),
      announce: () => {
        const current = { ...demo, base_url: publicBaseUrl };
        // The port may have changed since the last start.
        if (demo.base_url !== publicBaseUrl) writeDemo(config.DATA_DIRECTORY, current);
        return greet(current, isFirstStart, plainHttpNotice(config)?.rejectsAll === true);
      },
      demo: {
        sdkHost: demoKeyPair(demo, 'sdk_host', 'test'),
        bank: demoKeyPair(demo, 'partner_bank', 'test'),
      },
      stop: () => postgres.stop(),
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

/** @returns whether it seeded the demo. It never seeds twice, so manual changes remain */
async function prepare(ownerUrl: string, onProgress: (line: string) => void): Promise<boolean> {
  const database = knex(createKnexConfig(ownerUrl));
  try {
    await migrateUp({ connectionString: ownerUrl, onProgress });
    const seeded: unknown = await database('transactions')
      .where({ idempotency_key: lastDemoContribution })
      .first('transaction_id');
    if (seeded !== undefined) return false;
    onProgress('seeding the demo');
    await database.seed.run();
    return true;
  } finally {
    await database.destroy();
  }
}

/**
 * Builds the greeting: an example request, unless plain HTTP is rejected. On the first start, it
 * also contains the credentials.
 */
function greet(demo: Demo, isFirstStart: boolean, rejectsPlainHttp: boolean): string {
  const { apiKey, apiSecret } = demoKeyPair(demo, 'sdk_host', 'test');
  const credentials = demo.companies.flatMap((company) => [
    `  ${company.name} (${demoRoleNames[company.role]})`,
    ...Object.entries(company.environments).map(
      ([kind, pair]) => `    ${kind.padEnd(10)}  API-Key ${pair.api_key}  API-Secret ${pair.api_secret}`,
    ),
  ]);
  return [
    ...(isFirstStart
      ? ['', "The demo's credentials, also in demo.json of the data directory:", '', ...credentials]
      : []),
    '',
    ...(rejectsPlainHttp
      ? [
          'The service is running, but rejects requests without TLS, because HOST is not a loopback address. To try the demo, remove HOST,',
          'or set ALLOW_PLAIN_HTTP=on in a network where nobody can intercept the secrets.',
        ]
      : [
          'The service is running. Try this request:',
          '',
          `  curl -H 'API-Key: ${apiKey}' -H 'API-Secret: ${apiSecret}' '${demo.base_url}/company/integration/projects-stories'`,
          '',
          `Documentation: ${demo.base_url}/docs`,
          `To write your own program, follow ${demo.base_url}/docs/typescript-sdk`,
        ]),
    '',
  ].join('\n');
}
