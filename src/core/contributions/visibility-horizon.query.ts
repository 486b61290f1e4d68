import { isCluster } from '../../db/cluster';
import { query } from '../../db/query';

/**
 * The time before which every contribution is visible, on the server that responds.
 *
 * `created_at` and `completed_at` come from the clock while their query runs. The times of an
 * uncommitted row are therefore not before the start of its database transaction. pg_stat_activity
 * lists the running transactions of the same role. Later transactions have later times than this
 * query. Run this query before the rows are read. The reader then sees every transaction
 * that no longer runs here.
 */
export const visibilityHorizon = `
  SELECT LEAST(statement_timestamp(), min(a.xact_start)) AS complete_until, statement_timestamp() AS read_at,
         ${isCluster} AS is_cluster
    FROM pg_stat_activity a
   WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()`;

/**
 * The same on the server that has an environment ($1). On a cluster, run this query too before
 * the rows of the environment are read.
 */
export const visibilityHorizonOf = query(
  'read_visibility_horizon_of',
  'SELECT complete_until FROM visibility_horizon_of($1)',
);
