import { randomBytes } from 'node:crypto';

import type { PostgresServer } from '../faults/postgres/postgres-server';
import { type Finished, freePort, runProcess, RunningService } from '../../support/program';
import { withoutRateLimits } from '../../support/without-rate-limits';
import { ownerUrl, serviceUrl } from './production';

/** Stored outside the database, so that they survive the loss of a server. */
export const pepper = randomBytes(32).toString('hex');

/** The service as shipped in production mode. */
export async function startService(
  server: PostgresServer,
): Promise<{ service: RunningService; port: number }> {
  const port = await freePort();
  const service = await RunningService.start({
    NODE_ENV: 'production',
    PORT: String(port),
    PUBLIC_BASE_URL: 'https://api.example.org',
    TRUSTED_PROXIES: '127.0.0.1/32',
    DATABASE_URL: serviceUrl(server),
    CREDENTIAL_PEPPERS: `1:${pepper}`,
    // A late reply on a busy machine is not a failure here.
    DATABASE_ACQUIRE_TIMEOUT_MS: '10000',
    DATABASE_STATEMENT_TIMEOUT_MS: '10000',
    DATABASE_ANSWER_TIMEOUT_MS: '12000',
    ...withoutRateLimits,
  });
  return { service, port };
}

/**
 * Runs an operator's program of the build: `operator/cli/migrate.js`, or `operator/cli/main.js`
 * with its commands.
 */
export function operate(server: PostgresServer, program: string, ...words: string[]): Promise<Finished> {
  return runProcess(process.execPath, [`dist/src/${program}`, ...words], {
    DATABASE_URL: serviceUrl(server),
    DATABASE_OWNER_URL: ownerUrl(server),
    CREDENTIAL_PEPPERS: `1:${pepper}`,
  });
}
