import { type Client, DatabaseError as PostgresError } from 'pg';

/**
 * Whether a connection goes to the server itself, not through a pooler. A server announces its
 * process id when a client connects; a pooler announces another number.
 *
 * @param client must be connected
 */
export async function isDirect(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid === (client as Client & { processID?: number }).processID;
}

/** Whether a pooler rejected the settings of a new connection (08P01, protocol_violation). */
export const isRejectedByPooler = (error: unknown): error is PostgresError =>
  error instanceof PostgresError && error.code === '08P01' && error.message.includes('startup parameter');
