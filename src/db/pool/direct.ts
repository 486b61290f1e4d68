import type { Client } from 'pg';

/**
 * Whether a connection goes to the server itself: the process that was announced when it was made
 * is the one that answers. A pooler announces a number of its own.
 *
 * @param client connected
 */
export async function isDirect(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid === (client as Client & { processID?: number }).processID;
}
