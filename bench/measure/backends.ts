import { queryAt } from '../world/server';
import { processorSeconds, processorTimeIsKnown, programName } from './processor-time';

/** CPU time of each server process of a database, in seconds by process id. */
export type BackendTimes = ReadonlyMap<number, number>;

/** @returns why it is unknown, if it is */
export async function backendTimes(adminUrl: string): Promise<BackendTimes | string> {
  if (!processorTimeIsKnown) return 'CPU time of other processes is available on Linux only';
  const rows = await queryAt<{ pid: number }>(
    adminUrl,
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  const times = new Map<number, number>();
  for (const { pid } of rows) {
    if (programName(pid) !== 'postgres') return 'PostgreSQL runs on another machine';
    times.set(pid, processorSeconds(pid) ?? 0);
  }
  return times;
}

/**
 * CPU seconds between two readings. A connection that closed in between is not counted; under load,
 * none closes.
 */
export function secondsBetween(before: BackendTimes, after: BackendTimes): number {
  let seconds = 0;
  for (const [pid, time] of after) seconds += time - (before.get(pid) ?? 0);
  return seconds;
}
