import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded/embedded-postgres';
import { createOwnedDatabase, ensureRoles, ownerRole, serviceRole } from './roles/roles';

export type { EmbeddedPostgres };

/**
 * Starts or joins the embedded PostgreSQL of a data folder, and creates the service's database and
 * roles in it.
 */
export function startEmbeddedDatabase(
  options: Omit<EmbeddedPostgresOptions, 'contents'>,
): Promise<EmbeddedPostgres> {
  const contents = {
    database: 'contribution_service',
    roleNames: { owner: ownerRole, service: serviceRole },
    ensureRoles,
    createDatabase: createOwnedDatabase,
  };
  return startEmbeddedPostgres({ ...options, contents });
}
