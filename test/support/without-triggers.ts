import type { Pool } from 'pg';

/** Runs queries without triggers and foreign keys, on every node of a cluster. */
export async function withoutTriggers(admin: Pool, queries: readonly string[]): Promise<void> {
  const client = await admin.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL citus.propagate_set_commands = 'local'`);
    await client.query('SET LOCAL session_replication_role = replica');
    for (const query of queries) await client.query(query);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
