import { Pool, type PoolConfig } from 'pg';

/**
 * A pool for tests. Tests end sessions, and drop a database while the connections of an ended
 * pool are still open: `end` does not wait for them. Neither is an error.
 */
export function createPool(connectionString: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({ ...options, connectionString });
  pool.on('error', () => undefined);
  return pool;
}
