import { readFileSync } from 'node:fs';

// USER_HZ is 100 on every Linux that Node supports.
const ticksPerSecond = 100;

/** CPU time of local processes, from /proc (Linux only). */
export const processorTimeIsKnown = process.platform === 'linux';

/** CPU seconds of a process in user and kernel mode; undefined if no such process exists. */
export function processorSeconds(processId: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, 'latin1');
    // The second field is a name in parentheses, which may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

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
