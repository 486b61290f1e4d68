import { type Client, escapeIdentifier, escapeLiteral } from 'pg';

/** Owns the database and everything in its schema: migrations and seeds run as this role. */
export const ownerRole = 'contribution_owner';
/** The service logs in as this role. It owns nothing; the migrations grant its privileges. */
export const serviceRole = 'contribution_service';
/** The group whose members are the operators' logins, one for each person. It owns nothing. */
export const operatorRole = 'contribution_operator';

export interface RolePasswords {
  owner: string;
  service: string;
}

/**
 * Creates a database that belongs to the owner's role. No other role may create temporary tables in
 * it. A temporary table with the name of a schema table would hide that table in its session.
 */
export async function createOwnedDatabase(
  superuser: Pick<Client, 'query'>,
  name: string,
  template?: string,
): Promise<void> {
  const database = escapeIdentifier(name);
  // Copying the files takes a third of the CPU time of copying each page through the log.
  const copied = template === undefined ? '' : ` TEMPLATE ${escapeIdentifier(template)} STRATEGY FILE_COPY`;
  await superuser.query(`CREATE DATABASE ${database} OWNER ${ownerRole}${copied}`);
  await superuser.query(`REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`);
}

/** The key of the advisory lock for creating the roles. The number is arbitrary. */
const rolesLock = 7_266_421;

const createRole = (name: string): string => `
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${escapeLiteral(name)}) THEN
    CREATE ROLE ${name};
  END IF;`;

/**
 * Creates the three roles if they are missing, and sets the passwords of the owner and the service.
 * For the embedded server and test servers; elsewhere an administrator creates the roles.
 *
 * @param superuser connected to any database of the server
 */
export async function ensureRoles(superuser: Client, passwords: RolePasswords): Promise<void> {
  // Queries sent as one text are one round trip and one transaction.
  await superuser.query(`
    SELECT pg_advisory_xact_lock(${rolesLock});
    DO $$ BEGIN ${createRole(ownerRole)} ${createRole(serviceRole)} ${createRole(operatorRole)} END $$;
    ALTER ROLE ${ownerRole} LOGIN PASSWORD ${escapeLiteral(passwords.owner)};
    ALTER ROLE ${serviceRole} LOGIN PASSWORD ${escapeLiteral(passwords.service)}`);
}
