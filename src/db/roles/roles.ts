import { type Client, escapeIdentifier, escapeLiteral } from 'pg';

/** Owns the database and everything in its schema: migrations and seeds run as this role. */
export const ownerRole = 'contribution_owner';
/**
 * What the service logs in as. It owns nothing; what it may do is in the migrations, which name it.
 */
export const serviceRole = 'contribution_service';
/** The group whose members are the operators' logins, one for each person. It owns nothing. */
export const operatorRole = 'contribution_operator';

export interface RolePasswords {
  owner: string;
  service: string;
}

/**
 * Creates a database of the owner's role. Nobody else may make temporary tables in it: one named as
 * a table of the schema would hide that one from all later statements of its session.
 */
export async function createOwnedDatabase(superuser: Client, name: string, template?: string): Promise<void> {
  const database = escapeIdentifier(name);
  const copied = template === undefined ? '' : ` TEMPLATE ${escapeIdentifier(template)}`;
  await superuser.query(`CREATE DATABASE ${database} OWNER ${ownerRole}${copied}`);
  await superuser.query(`REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`);
}

/**
 * Any number: whoever else makes these roles on the same server at the same time takes the same
 * lock.
 */
const rolesLock = 7_266_421;

const createRole = (name: string): string => `
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${escapeLiteral(name)}) THEN
    CREATE ROLE ${name};
  END IF;`;

/**
 * Makes the three roles, or finds them, and gives the two that log in these passwords. For servers
 * that are this program's own (the embedded one and those of tests); elsewhere an administrator
 * makes them.
 * @param superuser connected to any database of the server
 */
export async function ensureRoles(superuser: Client, passwords: RolePasswords): Promise<void> {
  // Several statements sent at once are one round trip and one transaction.
  await superuser.query(`
    SELECT pg_advisory_xact_lock(${rolesLock});
    DO $$ BEGIN ${createRole(ownerRole)} ${createRole(serviceRole)} ${createRole(operatorRole)} END $$;
    ALTER ROLE ${ownerRole} LOGIN PASSWORD ${escapeLiteral(passwords.owner)};
    ALTER ROLE ${serviceRole} LOGIN PASSWORD ${escapeLiteral(passwords.service)}`);
}
