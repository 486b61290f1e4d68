import { Client } from 'pg';
import { errorCode } from './files';
import type { Passwords } from './passwords';

export const superuserName = 'postgres';

/** The caller's database and the roles that log in to it. */
export interface Contents<Role extends string> {
  database: string;
  /** The names of the roles in PostgreSQL. Each gets a generated password. */
  roleNames: Readonly<Record<Role, string>>;
  /** Creates missing roles and sets these passwords on all of them. Idempotent. */
  ensureRoles(superuser: Client, passwords: Passwords<Role>): Promise<void>;
  createDatabase(superuser: Client, name: string): Promise<void>;
}

/** A database that every cluster has, and no roles besides the superuser. */
export const noContents: Contents<string> = {
  database: 'postgres',
  roleNames: {},
  ensureRoles: () => Promise.resolve(),
  createDatabase: () => Promise.resolve(),
};

/** The address of a database on the local server, for one of its roles. */
export function connectionString(port: number, role: string, password: string, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

/** Checks that the server accepts our password, and creates missing roles and the database. */
export async function ensureDatabase(
  port: number,
  passwords: Passwords<'superuser'>,
  contents: Contents<string>,
): Promise<void> {
  const addressOf = (name: string): string =>
    connectionString(port, superuserName, passwords.superuser, name);
  try {
    await withClient(addressOf(contents.database), (client) => contents.ensureRoles(client, passwords));
  } catch (error) {
    if (errorCode(error) === '28P01') {
      throw new Error(
        'The local PostgreSQL rejects the password in postgres.password: the file belongs to another cluster. ' +
          'Restore the file of this cluster.',
        { cause: error },
      );
    }
    if (errorCode(error) !== '3D000') throw error;
    await withClient(addressOf('postgres'), async (client) => {
      await contents.ensureRoles(client, passwords);
      await contents.createDatabase(client, contents.database);
    });
  }
}

async function withClient(address: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: address, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
