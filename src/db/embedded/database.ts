import { Client } from 'pg';
import { createOwnedDatabase, ensureRoles, ownerRole } from '../roles';
import { errorCode } from './files';
import { type EmbeddedRole, type Passwords, roleNames } from './passwords';

/** The address of a database on the embedded server, for one of its roles. */
export function connectionString(
  port: number,
  passwords: Passwords,
  role: EmbeddedRole,
  database: string,
): string {
  return `postgres://${roleNames[role]}:${passwords[role]}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

/**
 * Proves that the server lets us in, and makes what is missing: both roles, and the database, which the owner's role owns
 * with everything in its schema.
 */
export async function ensureDatabase(port: number, passwords: Passwords, database: string): Promise<void> {
  const addressOf = (name: string): string => connectionString(port, passwords, 'superuser', name);
  try {
    await withClient(addressOf(database), async (client) => {
      await ensureRoles(client, passwords);
      await client.query(handOver);
    });
  } catch (error) {
    if (errorCode(error) === '28P01') {
      throw new Error(
        'The embedded PostgreSQL refuses the password in postgres.password: the file is of another cluster. ' +
          'Bring back the one that belongs to it.',
        { cause: error },
      );
    }
    if (errorCode(error) !== '3D000') throw error;
    await withClient(addressOf('postgres'), async (client) => {
      await ensureRoles(client, passwords);
      await createOwnedDatabase(client, database);
    });
  }
}

/**
 * Gives the database and what is in its schema to the owner's role, unless it has it: in the data folders of an earlier
 * version it belongs to the superuser. (REASSIGN OWNED is no help: PostgreSQL refuses it for its first superuser.)
 */
const handOver = `
  DO $$
  DECLARE
    it record;
  BEGIN
    IF (SELECT datdba <> '${ownerRole}'::regrole FROM pg_database WHERE datname = current_database()) THEN
      EXECUTE format('ALTER DATABASE %I OWNER TO ${ownerRole}', current_database());
      EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    END IF;
    FOR it IN
      SELECT c.oid::regclass AS name FROM pg_class c
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
         AND c.relowner <> '${ownerRole}'::regrole
         -- What belongs to a table goes with it.
         AND NOT (c.relkind = 'S' AND EXISTS (SELECT FROM pg_depend d
                   WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')))
    LOOP
      EXECUTE format('ALTER TABLE %s OWNER TO ${ownerRole}', it.name);
    END LOOP;
    FOR it IN
      SELECT p.oid::regprocedure AS name FROM pg_proc p
       WHERE p.pronamespace = 'public'::regnamespace AND p.proowner <> '${ownerRole}'::regrole
    LOOP
      EXECUTE format('ALTER ROUTINE %s OWNER TO ${ownerRole}', it.name);
    END LOOP;
  END $$`;

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
