import { Client } from 'pg';
import { errorCode } from './files';

/** The address of a database on the embedded server. The password is base64url: nothing in it needs escaping. */
export function connectionString(port: number, password: string, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

/** Proves that the server lets us in, and creates the database when it is missing. */
export async function ensureDatabase(port: number, password: string, database: string): Promise<void> {
  try {
    await withClient(connectionString(port, password, database), () => Promise.resolve());
  } catch (error) {
    if (errorCode(error) === '28P01') {
      throw new Error(
        'The embedded PostgreSQL refuses the password in postgres.password: the file is of another cluster. ' +
          'Bring back the one that belongs to it.',
        { cause: error },
      );
    }
    if (errorCode(error) !== '3D000') throw error;
    const name = `"${database.replaceAll('"', '""')}"`;
    await withClient(connectionString(port, password, 'postgres'), (client) =>
      client.query(`CREATE DATABASE ${name}`),
    );
  }
}

async function withClient(address: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  // ssl is said explicitly: PGSSLMODE in the environment is about somebody else's server.
  const client = new Client({ connectionString: address, ssl: false, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
