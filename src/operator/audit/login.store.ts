import type { Queries } from '../../db/operator-transaction';
import { operatorRole, ownerRole } from '../../db/roles/roles';

/** The login with which commands reach the database, and where it is. */
export interface DatabaseLogin {
  /** The name that the audit log records. */
  login: string;
  database: string;
  /** Null for a connection on the same machine without a network address. */
  server: string | null;
  isOperator: boolean;
  isOwner: boolean;
}

export const createLoginStore = (database: Queries) => ({
  async read(): Promise<DatabaseLogin> {
    const [row] = await database.runUnprepared<DatabaseLogin>(
      `SELECT session_user AS login, current_database() AS database,
              host(inet_server_addr()) || ':' || inet_server_port() AS server,
              pg_has_role(session_user, '${operatorRole}', 'MEMBER') AS "isOperator",
              pg_has_role(session_user, '${ownerRole}', 'MEMBER') AS "isOwner"`,
      [],
    );
    if (!row) throw new Error('the database does not name its login');
    return row;
  },
});
