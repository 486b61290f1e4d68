export { CannotRun } from './cannot-run';
export type { Contents } from './contents';
export { explainFullDisk, FullDisk } from './files';
export { type LocalPostgres, type LocalPostgresOptions, startLocalPostgres } from './local-postgres';
