import { queryAt } from '../world/server';
import { processorSeconds, processorTimeIsKnown, programName } from './processor-time';

/** What each server process of a database has computed so far, in seconds by process id. */
export type BackendTimes = ReadonlyMap<number, number>;

/** @returns why it cannot be known, where it cannot */
export async function backendTimes(adminUrl: string): Promise<BackendTimes | string> {
  if (!processorTimeIsKnown) return 'only Linux tells the processor time of other processes';
  const rows = await queryAt<{ pid: number }>(
    adminUrl,
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  const times = new Map<number, number>();
  for (const { pid } of rows) {
    if (programName(pid) !== 'postgres') return 'PostgreSQL does not run on this machine';
    times.set(pid, processorSeconds(pid) ?? 0);
  }
  return times;
}

/**
 * Seconds between two readings. A connection that was closed in between takes its time with it:
 * none is, under load.
 */
export function secondsBetween(before: BackendTimes, after: BackendTimes): number {
  let seconds = 0;
  for (const [pid, time] of after) seconds += time - (before.get(pid) ?? 0);
  return seconds;
}
