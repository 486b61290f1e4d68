import { readSettings, timeoutsOf } from '../../src/read-settings';
import { setRoleSettings } from '../../src/db/roles/role-settings';
import { serviceSettings } from '../../src/db/session-settings';

/**
 * Settings for a service behind a transaction-mode pooler without support for prepared statements.
 */
export const poolerSettings = {
  DATABASE_TIMEOUTS: 'role',
  DATABASE_PREPARED_STATEMENTS: process.env['TEST_POOLER_PREPARES'] ?? 'off',
};

/** Whether the services of this test run use a pooler. */
export const isPooled = process.env['TEST_POOLER_PORT'] !== undefined;

/** The same database through this run's pooler; undefined if there is none for this server. */
export function throughPooler(databaseUrl: string): string | undefined {
  const port = process.env['TEST_POOLER_PORT'];
  if (port === undefined) return undefined;
  const url = new URL(databaseUrl);
  if (url.port !== new URL(process.env['TEST_POSTGRES_URL'] ?? '').port) return undefined;
  url.hostname = '127.0.0.1';
  url.port = port;
  return url.href;
}

/** Sets the timeouts as npm run migrate does for a service behind a pooler. */
export async function setTimeouts(databaseUrl: string, settings: Record<string, string>): Promise<void> {
  await setRoleSettings(
    databaseUrl,
    serviceSettings(timeoutsOf(readSettings({ ...settings, DATABASE_URL: databaseUrl }))),
  );
}
