import type { Database } from './database';

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
