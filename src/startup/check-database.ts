import { type Config, timeoutsOf } from '../read-settings';
import { readClusterProblems } from '../db/cluster';
import { DatabaseFailure } from '../db/errors';
import { noteOnPgVariables, pgVariables } from '../db/pg-variables';
import type { Database } from '../db/pool/database';
import { isRejectedByPooler } from '../db/pool/direct';
import { readSchemaState, schemaProblem } from '../db/migrations/schema-state';
import { readRoleState, roleProblem } from '../db/roles/role-state';
import { readSessionSettings, settingsProblem } from '../db/roles/role-settings';
import { serviceSettings } from '../db/session-settings';
import type { Logger } from '../shared/logger';
import { createServiceDatabase } from './service-database';
import { StartupError } from './startup-error';

/**
 * Rejects a schema that does not match this version, wrong settings of the session and a
 * misconfigured cluster. In production, it also rejects a role with excessive privileges. If
 * the database is unavailable, the service still starts: `/health/ready` reports it.
 *
 * @returns whether the database is known to be one server
 * @throws StartupError
 */
export async function checkDatabase(config: Config, databaseUrl: string, logger: Logger): Promise<boolean> {
  const database = createServiceDatabase(config, databaseUrl, logger);
  try {
    const schema = schemaProblem(await readSchemaState(database));
    const wanted = serviceSettings(timeoutsOf(config));
    const session = settingsProblem(wanted, await readSessionSettings(database));
    // Reading the role's privileges needs the tables and the session's search path.
    const excess =
      schema === undefined && session === undefined ? roleProblem(await readRoleState(database)) : undefined;
    const isProduction = config.NODE_ENV === 'production';
    const problems = [schema, session, isProduction ? excess : undefined].filter(
      (problem) => problem !== undefined,
    );
    if (problems.length > 0) throw new StartupError(problems.join('\n'));
    if (excess !== undefined) logger.warn(excess);
    return !(await checkCluster(config, database, logger));
  } catch (error) {
    const rejection = describeRejection(error);
    if (rejection !== undefined) {
      throw new StartupError(
        `The service cannot use the database of DATABASE_URL: ${rejection}. See "What it needs" in docs/operations/install.md.${noteOnPgVariables()}`,
      );
    }
    if (!(error instanceof DatabaseFailure)) throw error;
    const variables = pgVariables();
    logger.warn(
      {
        reason: error.cause instanceof Error ? error.cause.message : undefined,
        pg_variables: variables.length === 0 ? undefined : variables,
      },
      'the database does not respond yet',
    );
    return false;
  } finally {
    await database.close();
  }
}

/**
 * Rejects a misconfigured cluster. Dead nodes and differing clocks are only logged: the tenants of
 * the other nodes need the service.
 *
 * @returns whether there is a cluster
 * @throws StartupError
 */
async function checkCluster(
  config: Config,
  database: Pick<Database, 'runUnprepared'>,
  logger: Logger,
): Promise<boolean> {
  const problems = await readClusterProblems(database, timeoutsOf(config));
  if (problems === undefined) return false;
  for (const { detail } of problems.filter(({ isTolerable }) => isTolerable)) logger.warn(detail);
  const fatal = problems.filter(({ isTolerable }) => !isTolerable);
  if (fatal.length > 0) throw new StartupError(fatal.map(({ detail }) => detail).join('\n'));
  return true;
}

/**
 * PostgreSQL's reason for rejecting this role or database, when waiting does not help. Undefined
 * for other failures.
 */
function describeRejection(error: unknown): string | undefined {
  const cause = error instanceof DatabaseFailure ? error.cause : error;
  if (!(cause instanceof Error) || !('code' in cause) || typeof cause.code !== 'string') return undefined;
  // insufficient_privilege
  if (cause.code === '42501')
    return `${cause.message} (42501; run npm run migrate to grant the service's role its privileges)`;
  if (isRejectedByPooler(cause))
    return `${cause.message} (08P01; behind a pooler set DATABASE_TIMEOUTS to role, and run npm run migrate)`;
  // invalid_authorization_specification, invalid_catalog_name
  return /^(28...|3D000)$/.test(cause.code) ? `${cause.message} (${cause.code})` : undefined;
}
