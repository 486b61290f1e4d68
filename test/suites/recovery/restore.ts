import path from 'node:path';

import type { PostgresServer } from '../faults/postgres/postgres-server';
import { until } from '../../support/until';
import type { PostgresPrograms } from './postgres-programs';
import { serverIn } from './production';

/** The target of a restore: a time, a named restore point, or by default the end of the log. */
export type Target = { recovery_target_time: string } | { recovery_target_name: string } | undefined;

/**
 * Restores a base backup and the log from one or more folders, the archive first, into a new folder
 * as an operator does. Waits until the server accepts writes. The copy does not archive, because
 * its new timeline must not enter the archive of the lost server.
 */
export async function restore(
  programs: PostgresPrograms,
  name: string,
  { backup, logs, target }: { backup: string; logs: readonly string[]; target: Target },
): Promise<PostgresServer> {
  const directory = path.join(await programs.folder(name), 'data');
  await programs.run('/bin/cp', ['-a', backup, directory]);
  const server = await serverIn(programs, name, directory);
  await server.configure({
    archive_mode: 'off',
    restore_command: logs.map((folder) => `cp "${folder}/%f" "%p"`).join(' || '),
    ...(target === undefined ? {} : { ...target, recovery_target_action: 'promote' }),
  });
  await programs.write(path.join(directory, 'recovery.signal'), '');
  await server.start();
  await until('the restored server takes writes', () => acceptsWrites(server));
  return server;
}

async function acceptsWrites(server: PostgresServer): Promise<boolean> {
  const rows = await server.query<{ pg_is_in_recovery: boolean }>('SELECT pg_is_in_recovery()');
  return rows[0]?.pg_is_in_recovery === false;
}
