export { explainFullDisk, FullDisk } from './files';
export { type LocalPostgres, type LocalPostgresOptions, startLocalPostgres } from './local-postgres';
