import { DatabaseFailure } from '../errors';

/**
 * Makes PostgreSQL write a temporary file on the disk of the database: the smallest memory, and the
 * tablespace of the database.
 */
export const roomTrialSettings = { work_mem: '64kB', temp_tablespaces: '' };

/**
 * Writes about 1 MB to a temporary file, which PostgreSQL deletes at once. It changes no data, so
 * it also works in a read-only transaction. The write-ahead log needs no trial: without room for
 * it, PostgreSQL stops.
 */
export const roomTrial = `
  SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS "isReadOnly",
         (SELECT count(*)::integer FROM generate_series(1, CASE
            -- The login may not write a file of this size, which says nothing about the disk.
            WHEN pg_size_bytes(NULLIF(current_setting('temp_file_limit'), '-1')) < 2 * 1024 * 1024 THEN 0
            ELSE 40000 END)) AS rows`;

/**
 * Whether the database can store data.
 *
 * @param run runs `roomTrial` with `roomTrialSettings`, and rejects with a DatabaseFailure
 * @throws DatabaseFailure with the reason `no_room` or `read_only`, or another one
 */
export async function tryRoom(run: () => Promise<readonly { isReadOnly: boolean }[]>): Promise<void> {
  const rows = await run();
  if (rows[0]?.isReadOnly === true)
    throw new DatabaseFailure('read_only', 'nothing', new Error('its sessions are read-only'));
}
