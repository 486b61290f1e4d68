import type { PooledDatabase } from '../pool/database';
import { limitHangingWorkers } from './hanging-workers';
import { isOfOneWorker } from './lost-worker';
import { createReachableTenants } from './reachable-tenants';
import { runReachable } from './reads-of-all';

/**
 * The database of a service on a cluster. It also works on one server, in case the service started
 * while the database did not respond.
 *
 * @param mostLimited how many requests may be in progress for environments whose worker hangs
 */
export function onCluster(database: PooledDatabase, mostLimited: number): PooledDatabase {
  const findReachable = createReachableTenants(database);
  return {
    ...database,
    run: runReachable(database, findReachable),
    cluster: {
      limitWork: limitHangingWorkers(database.spare, mostLimited),
      async reachableShare() {
        const found = await findReachable();
        return found && (found.all === 0 ? 1 : found.environments.length / found.all);
      },
      isOfOneServer: (failure) => isOfOneWorker(failure, database),
    },
  };
}
