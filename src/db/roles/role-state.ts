import type { Database } from '../pool/database';
import { operatorRole } from './roles';

/** What the role of a connection could do to contributions that the service never does. */
export interface RoleState {
  role: string;
  /** Ends of the sentence "This role …"; empty for a role that may do no more than it needs. */
  excess: string[];
}

interface RoleRow {
  role: string;
  is_superuser: boolean;
  owns_tables: boolean;
  may_remove: boolean;
  may_alter: boolean;
}

/** Of a database that has its schema: looks at the two tables that hold money and its history. */
const ownRole = `
  SELECT current_user AS role,
         (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser,
         bool_or(pg_has_role(relowner, 'MEMBER')) AS owns_tables,
         bool_or(has_table_privilege(oid, 'DELETE, TRUNCATE')) AS may_remove,
         has_column_privilege('transactions', 'amount_cents', 'UPDATE')
           OR has_any_column_privilege('events', 'UPDATE') AS may_alter
    FROM pg_class
   WHERE oid IN ('transactions'::regclass, 'events'::regclass)`;

/** Reads what the role that this database is used as may do. */
export async function readRoleState(database: Pick<Database, 'runUnprepared'>): Promise<RoleState> {
  const [row] = await database.runUnprepared<RoleRow>(ownRole, []);
  if (!row) throw new Error('the look at the own role has no row');
  const excess: string[] = [];
  // Whoever is one of the first two may do all the rest as well.
  if (row.is_superuser) excess.push('is a superuser');
  else if (row.owns_tables) excess.push('owns the tables, or may become their owner');
  else {
    if (row.may_remove) excess.push('may remove contributions or events');
    if (row.may_alter) excess.push('may alter amounts or events');
  }
  return { role: row.role, excess };
}

/** What is wrong with the role and what to do; undefined when it fits. */
export function roleProblem({ role, excess }: RoleState): string | undefined {
  if (excess.length === 0) return undefined;
  return `The role ${role} of DATABASE_URL ${excess.join(' and ')}: the database would not stop it from changing money. Let the service log in as contribution_service, and give the commands DATABASE_OWNER_URL. See "What it needs" in docs/operations/install.md.`;
}

/**
 * What an operator's connection could do to the audit record, and whether its login may run the
 * commands.
 */
export interface OperatorRoleState {
  /** The login, which is recorded as the person. */
  login: string;
  /** As in {@link RoleState}. Whoever has any of it can also change or bypass the audit record. */
  excess: string[];
  isMember: boolean;
  /** The login is the group itself, so the record cannot tell its users apart. */
  isGroup: boolean;
}

/** Reads what the login of an operator's command may do. */
export async function readOperatorRoleState(
  database: Pick<Database, 'runUnprepared'>,
): Promise<OperatorRoleState> {
  const { excess } = await readRoleState(database);
  const [row] = await database.runUnprepared<{ login: string; is_member: boolean; is_group: boolean }>(
    `SELECT session_user AS login, session_user = $1 AS is_group,
            COALESCE((SELECT pg_has_role(r.oid, 'USAGE') FROM pg_roles r WHERE r.rolname = $1), false) AS is_member`,
    [operatorRole],
  );
  if (!row) throw new Error('the look at the operator role has no row');
  return { login: row.login, excess, isMember: row.is_member, isGroup: row.is_group };
}

/** Why the audit record cannot be trusted with commands of this login; undefined when it can. */
export function operatorRoleProblem({ login, excess, isGroup }: OperatorRoleState): string | undefined {
  if (excess.length > 0) {
    return `${login} ${excess.join(' and ')}, and could change the audit record of operators. Set DATABASE_OPERATOR_URL to a login of your own, a member of ${operatorRole}. See "Operators" in docs/operations/install.md.`;
  }
  return isGroup
    ? `${login} is the group itself, so the audit record does not tell who did it. Create a login for each person. See "Operators" in docs/operations/install.md.`
    : undefined;
}
