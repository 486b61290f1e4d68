import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres as startServer,
} from './embedded/embedded-postgres';
import { createOwnedDatabase, ensureRoles, ownerRole, serviceRole } from './roles/roles';

export type { EmbeddedPostgres };

/**
 * Starts or joins the embedded PostgreSQL of a data folder, with the database and the roles of the
 * service.
 */
export function startEmbeddedPostgres(
  options: Omit<EmbeddedPostgresOptions, 'contents'>,
): Promise<EmbeddedPostgres> {
  const contents = {
    database: 'contribution_service',
    roleNames: { owner: ownerRole, service: serviceRole },
    ensureRoles,
    createDatabase: createOwnedDatabase,
  };
  return startServer({ ...options, contents });
}
