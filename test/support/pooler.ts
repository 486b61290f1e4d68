import { loadConfig, timeoutsOf } from '../../src/config';
import { setRoleTimeouts } from '../../src/db/roles/role-timeouts';

/**
 * Settings of a service behind a pooler in transaction mode that does not keep prepared statements
 * apart.
 */
export const poolerSettings = {
  DATABASE_TIMEOUTS: 'role',
  DATABASE_PREPARED_STATEMENTS: process.env['TEST_POOLER_PREPARES'] ?? 'off',
};

/** Whether the services of this test run go through a pooler. */
export const isPooled = process.env['TEST_POOLER_PORT'] !== undefined;

/**
 * The same database through the pooler of this test run; undefined when the run has none, or none
 * in front of this server.
 */
export function throughPooler(databaseUrl: string): string | undefined {
  const port = process.env['TEST_POOLER_PORT'];
  if (port === undefined) return undefined;
  const url = new URL(databaseUrl);
  if (url.port !== new URL(process.env['TEST_POSTGRES_URL'] ?? '').port) return undefined;
  url.hostname = '127.0.0.1';
  url.port = port;
  return url.href;
}

/** What npm run migrate does for a service behind a pooler. */
export async function setTimeouts(databaseUrl: string, settings: Record<string, string>): Promise<void> {
  await setRoleTimeouts(databaseUrl, timeoutsOf(loadConfig({ ...settings, DATABASE_URL: databaseUrl })));
}
