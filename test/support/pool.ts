import { Pool, type PoolConfig } from 'pg';

import { sessionConfig, type SessionSettings } from '../../src/db/session-settings';

/**
 * A pool for tests, which keeps its connections until its end. Tests end sessions, and drop a
 * database while the connections of an ended pool are still open: `end` does not wait for them.
 * Neither is an error.
 */
export function createPool(
  connectionString: string,
  options: PoolConfig = {},
  settings: SessionSettings = {},
): Pool {
  const pool = new Pool(sessionConfig({ idleTimeoutMillis: 0, ...options, connectionString }, settings));
  pool.on('error', () => undefined);
  return pool;
}
