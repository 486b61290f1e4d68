import { Client } from 'pg';

import setUpTests, { templateDatabase } from '../../support/global-setup';
import tearDownTests from '../../support/global-teardown';

/**
 * Runs something on one PostgreSQL with one migrated template, for however many runs of jest it
 * starts: migrating for each of them would take longer than their tests.
 *
 * @param use given what a run of jest must find in its environment to use them
 */
export async function withPostgres<T>(use: (environment: NodeJS.ProcessEnv) => Promise<T>): Promise<T> {
  await setUpTests();
  // Whoever stops this by hand must not leave a server behind. Runs of jest end when they find it
  // gone.
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

/** Connects for a moment. */
export async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** The address of another database on the same server. */
export function onSameServer(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
