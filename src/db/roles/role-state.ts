import type { Database } from '../pool/database';
import { operatorRole } from './roles';

/** Privileges of a role beyond what the service needs. */
export interface RoleState {
  role: string;
  /**
   * The excess privileges. Each text completes the sentence "This role …". Empty for a role with
   * only the needed privileges.
   */
  excess: string[];
}

interface RoleRow {
  role: string;
  is_superuser: boolean;
  owns_tables: boolean;
  may_remove: boolean;
  may_alter: boolean;
}

/** Checks the two tables that hold money and its history. They must exist. */
const ownRole = `
  SELECT current_user AS role,
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser,
         bool_or(pg_has_role(relowner, 'MEMBER')) AS owns_tables,
         bool_or(has_table_privilege(oid, 'DELETE, TRUNCATE')) AS may_remove,
         has_column_privilege('transactions', 'amount_cents', 'UPDATE')
           OR has_any_column_privilege('events', 'UPDATE') AS may_alter
    FROM pg_class
   WHERE oid IN ('transactions'::regclass, 'events'::regclass)`;

/** Reads the privileges of the role that this database connects as. */
export async function readRoleState(database: Pick<Database, 'runUnprepared'>): Promise<RoleState> {
  const [row] = await database.runUnprepared<RoleRow>(ownRole, []);
  if (!row) throw new Error('the query about the current role returned no row');
  const excess: string[] = [];
  // A superuser or owner has all other privileges too.
  if (row.is_superuser) excess.push('is a superuser');
  else if (row.owns_tables) excess.push('owns the tables or can become their owner');
  else {
    if (row.may_remove) excess.push('can delete contributions or events');
    if (row.may_alter) excess.push('can change amounts or events');
  }
  return { role: row.role, excess };
}

/** Why the service's role is unsafe and what to do; undefined when it has no excess privileges. */
export function roleProblem({ role, excess }: RoleState): string | undefined {
  if (excess.length === 0) return undefined;
  return `The role ${role} of DATABASE_URL ${excess.join(' and ')}, so the database would not stop it from changing money. Let the service log in as contribution_service, and set DATABASE_OWNER_URL for the commands. See "What it needs" in docs/operations/install.md.`;
}

/** The privileges of an operator's login on the audit log, and whether it may run the commands. */
export interface OperatorRoleState {
  /** Recorded in the audit log as the person. */
  login: string;
  /**
   * As in {@link RoleState}. Each of these privileges also lets the login change or bypass the
   * audit log.
   */
  excess: string[];
  isMember: boolean;
  /** Whether the login is the group itself, so that the log does not distinguish its users. */
  isGroup: boolean;
}

/** Reads the privileges of the login that runs an operator's command. */
export async function readOperatorRoleState(
  database: Pick<Database, 'runUnprepared'>,
): Promise<OperatorRoleState> {
  const { excess } = await readRoleState(database);
  const [row] = await database.runUnprepared<{ login: string; is_member: boolean; is_group: boolean }>(
    `SELECT session_user AS login, session_user = $1 AS is_group,
            COALESCE((SELECT pg_has_role(r.oid, 'USAGE') FROM pg_roles r WHERE r.rolname = $1), false) AS is_member`,
    [operatorRole],
  );
  if (!row) throw new Error('the query about the operator role returned no row');
  return { login: row.login, excess, isMember: row.is_member, isGroup: row.is_group };
}

/** Why the audit log is unreliable for commands of this login; undefined when it is reliable. */
export function operatorRoleProblem({ login, excess, isGroup }: OperatorRoleState): string | undefined {
  if (excess.length > 0) {
    return `${login} ${excess.join(' and ')}, and could change the audit log of operators. Set DATABASE_OPERATOR_URL to your own login, a member of ${operatorRole}. See "Operators" in docs/operations/install.md.`;
  }
  return isGroup
    ? `${login} is the group itself, so the audit log does not show who ran the command. Create a login for each person. See "Operators" in docs/operations/install.md.`
    : undefined;
}
