import { query } from './query';

/**
 * Locks that operators' commands hold until their transaction ends. Requests of partners do not
 * wait.
 *
 * On a cluster, every server has a copy of a table that tenants share. An UPDATE or DELETE that
 * waits for another change finds its rows only on some servers. The copies then differ permanently.
 * Such commands therefore wait before they read.
 */
const lock = (name: string, subject: string) =>
  query(name, `SELECT pg_advisory_xact_lock(hashtextextended('${subject}', 0)) AS locked`);

/** While it is held, no other command creates, renames or suspends a company. */
export const lockCompanies = lock('lock_companies', 'companies');

/**
 * While it is held, no other command changes the catalogue. `lock_timeout` applies to this
 * lock, also on a cluster. It does not apply to locks on other servers.
 */
export const lockCatalogue = lock('lock_catalogue', 'catalogue');

/**
 * Keeps purges and recounts apart: no purge deletes figures that a recount writes, and no recount
 * counts rows that a purge deletes. Processes that apply changes do not wait.
 */
export const lockRecount = lock('lock_recount', 'project_figures');
