import { Client } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import setUpTests from '../../support/global-setup';
import { templateDatabase } from '../../support/template-database';
import tearDownTests from '../../support/global-teardown';

/**
 * Runs a callback with one PostgreSQL and one migrated template for any number of Jest runs.
 * Migrating for each run would take longer than its tests.
 *
 * @param use gets the environment variables that a Jest run needs
 */
export async function withPostgres<T>(use: (environment: NodeJS.ProcessEnv) => Promise<T>): Promise<T> {
  await setUpTests();
  // Ctrl-C must not leave a server behind. Jest runs end when the server is gone.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void tearDownTests().finally(() => process.exit(1)));
  }
  try {
    return await use({
      TEST_POSTGRES_URL: process.env['TEST_POSTGRES_URL'],
      TEST_TEMPLATE_DATABASE: templateDatabase,
    });
  } finally {
    await tearDownTests();
  }
}

/** Connects briefly. */
export async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(sessionConfig({ connectionString: url }));
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** The URL of another database on the same server. */
export function onSameServer(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
