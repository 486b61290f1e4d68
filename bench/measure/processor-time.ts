import { readdirSync, readFileSync } from 'node:fs';

// USER_HZ is 100 on every Linux that Node supports.
const ticksPerSecond = 100;

/** CPU time of local processes, from /proc (Linux only). */
export const processorTimeIsKnown = process.platform === 'linux';

/**
 * Reads two counters of /proc/…/stat: of a process, utime and stime are fields 11 and 12 after its
 * name; of its ended children, cutime and cstime are fields 13 and 14.
 */
function readSeconds(processId: number, first: 11 | 13): number | undefined {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, 'latin1');
    // The second field is a name in parentheses, which may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[first]) + Number(fields[first + 1])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/**
 * CPU time of all threads of a process, in nanoseconds. The counters of stat have steps of 10 ms,
 * which is much for a process that runs for a second.
 */
function readNanoseconds(processId: number): number | undefined {
  const folder = `/proc/${processId}/task`;
  try {
    const times = readdirSync(folder).map((thread) =>
      Number(readFileSync(`${folder}/${thread}/schedstat`, 'latin1').split(' ')[0]),
    );
    return times.reduce((sum, time) => sum + time, 0);
  } catch {
    return undefined;
  }
}

/** CPU seconds of a process in user and kernel mode; undefined if no such process exists. */
export function processorSeconds(processId: number): number | undefined {
  const nanoseconds = readNanoseconds(processId);
  return nanoseconds === undefined ? readSeconds(processId, 11) : nanoseconds / 1e9;
}

/** CPU seconds of all children of a process that have ended. */
export const endedChildrenSeconds = (processId: number): number | undefined => readSeconds(processId, 13);

/** Resident memory of a process in bytes. */
export function residentBytes(processId: number): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${processId}/status`, 'latin1'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** The name of a process's program. */
export function programName(processId: number): string | undefined {
  try {
    return readFileSync(`/proc/${processId}/comm`, 'latin1').trim();
  } catch {
    return undefined;
  }
}
