import type { Pool } from 'pg';

import { isCitus } from './citus/databases';

const waits = `
  SELECT a.query FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.wait_event_type = 'Lock'`;

/**
 * The queries that wait for a lock in this database, on every node of a cluster. A query
 * that the coordinator sent to a worker waits on the worker only.
 */
export async function lockWaits(admin: Pool): Promise<string[]> {
  if (!isCitus) return (await admin.query<{ query: string }>(waits)).rows.map(({ query }) => query);
  const { rows } = await admin.query<{ result: string }>('SELECT result FROM run_command_on_all_nodes($1)', [
    `SELECT COALESCE(json_agg(w.query), '[]'::json) FROM (${waits}) w`,
  ]);
  return rows.flatMap(({ result }) => JSON.parse(result) as string[]);
}
