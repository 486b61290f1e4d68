import {
  CannotRun,
  FullDisk,
  type LocalPostgres,
  type LocalPostgresOptions,
  startLocalPostgres,
} from '@contribution-service/local-postgres';

import { OperatorError } from '../shared/operator-error';
import { removePgVariables } from './pg-variables';
import { createOwnedDatabase, ensureRoles, ownerRole, serviceRole } from './roles/roles';

export type EmbeddedDatabase = LocalPostgres<'owner' | 'service'>;

/**
 * Starts or joins the embedded PostgreSQL of a data folder, and creates the service's database and
 * roles in it. Variables such as PGSSLMODE of the user's shell no longer apply to this process.
 *
 * @throws OperatorError if PostgreSQL cannot run here
 */
export function startEmbeddedDatabase(
  options: Pick<LocalPostgresOptions<never>, 'dataDirectory' | 'settings' | 'onProgress'>,
): Promise<EmbeddedDatabase> {
  removePgVariables();
  return startLocalPostgres({
    ...options,
    durableDirectory: '/var/lib/contribution-service',
    contents: {
      database: 'contribution_service',
      roleNames: { owner: ownerRole, service: serviceRole },
      ensureRoles,
      createDatabase: createOwnedDatabase,
    },
  }).catch((error: unknown) => {
    if (!(error instanceof CannotRun)) throw error;
    const advice = error instanceof FullDisk ? '' : ' Or set DATABASE_URL to use another server.';
    throw new OperatorError(error.message + advice, { cause: error });
  });
}
