import {
  type LocalPostgres,
  type LocalPostgresOptions,
  startLocalPostgres,
} from '@contribution-service/local-postgres';

import { removePgVariables } from './pg-variables';
import { createOwnedDatabase, ensureRoles, ownerRole, serviceRole } from './roles/roles';

/**
 * Starts or joins the embedded PostgreSQL of a data folder, and creates the service's database and
 * roles in it. Variables such as PGSSLMODE of the user's shell no longer apply to this process.
 */
export function startEmbeddedDatabase(
  options: Omit<LocalPostgresOptions, 'contents'>,
): Promise<LocalPostgres> {
  removePgVariables();
  const contents = {
    database: 'contribution_service',
    roleNames: { owner: ownerRole, service: serviceRole },
    ensureRoles,
    createDatabase: createOwnedDatabase,
  };
  return startLocalPostgres({ ...options, contents });
}
