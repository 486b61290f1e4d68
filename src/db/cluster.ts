/*
 * The door to `citus/`: everything that only a cluster of servers needs. Besides this file, only
 * `errors.ts` imports from there. On one server of PostgreSQL, nothing of it runs with a query.
 */
export { type ClusterMigrations, prepareCluster } from './citus/cluster-migrations';
export { readClusterProblems } from './citus/cluster-problems';
export { settingsOfCluster } from './citus/delegate-functions';
export { changeOneServerAtATime } from './citus/distribute';
export { examineCluster } from './citus/findings';
export { isCluster, readIsCluster } from './citus/has-citus';
export { onCluster } from './citus/on-cluster';
export { tableNames } from './citus/table-kinds';
