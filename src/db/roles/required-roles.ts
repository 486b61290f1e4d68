import type { Knex } from 'knex';

import { MigrationError } from '../migrations/migration-error';
import { operatorRole, serviceRole } from './roles';

/** Creates the group if the migrating role may. Otherwise an administrator creates it once. */
const createOperatorRole = `
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${operatorRole}')
       AND (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN
      CREATE ROLE ${operatorRole} NOLOGIN;
    END IF;
  EXCEPTION
    -- The migration of another database of this server creates the role at the same moment.
    WHEN duplicate_object OR unique_violation THEN NULL;
  END $$`;

interface Roles {
  has_service: boolean;
  has_operators: boolean;
  service_is_owner: boolean;
  operators_excess: string | null;
}

/**
 * Checks the roles that get privileges, on a connection of the role that owns the schema.
 *
 * @throws MigrationError if one is missing, or could change what it may only read
 */
export async function checkRoles(knex: Knex): Promise<void> {
  await knex.raw(createOperatorRole);
  const { rows } = await knex.raw<{ rows: [Roles] }>(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :service) AS has_service,
            EXISTS (SELECT FROM pg_roles WHERE rolname = :operators) AS has_operators,
            current_user = :service AS service_is_owner,
            CASE WHEN (SELECT rolsuper FROM pg_roles WHERE rolname = :operators) THEN 'is a superuser'
                 WHEN (SELECT pg_has_role(r.oid, current_user, 'MEMBER') FROM pg_roles r WHERE r.rolname = :operators)
                   THEN 'owns tables, or may become their owner' END AS operators_excess`,
    { service: serviceRole, operators: operatorRole },
  );
  const [found] = rows;
  if (!found.has_service) {
    throw new MigrationError(
      `The role ${serviceRole} does not exist. As an administrator of the server run: ` +
        `CREATE ROLE ${serviceRole} LOGIN PASSWORD '…'; and then migrate again. See "What it needs" in docs/operations/install.md.`,
    );
  }
  if (found.service_is_owner) {
    throw new MigrationError(
      `${serviceRole} must own nothing, so it cannot migrate. Set DATABASE_OWNER_URL to a login of the role that owns the database. ` +
        'See "What it needs" in docs/operations/install.md.',
    );
  }
  if (!found.has_operators) {
    throw new MigrationError(
      `The role ${operatorRole} does not exist, and this role may not create roles. As an administrator of the server run: ` +
        `CREATE ROLE ${operatorRole} NOLOGIN; and then migrate again. See "Operators" in docs/operations/install.md.`,
    );
  }
  if (found.operators_excess !== null) {
    throw new MigrationError(
      `${operatorRole} ${found.operators_excess}, so it could change the audit log. Take that away and migrate again. ` +
        'See "Operators" in docs/operations/install.md.',
    );
  }
}
