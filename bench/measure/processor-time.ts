import { readFileSync } from 'node:fs';

// USER_HZ, which is 100 on every Linux that Node runs on.
const ticksPerSecond = 100;

/** Processor time of processes of this machine; only Linux tells it in /proc. */
export const processorTimeIsKnown = process.platform === 'linux';

/**
 * Seconds that a process has computed, in user and kernel mode; undefined when there is none here
 * with that id.
 */
export function processorSeconds(processId: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${processId}/stat`, 'latin1');
    // The second field is a name in parentheses, which may have spaces in it.
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

/** The name of the program that a process runs. */
export function programName(processId: number): string | undefined {
  try {
    return readFileSync(`/proc/${processId}/comm`, 'latin1').trim();
  } catch {
    return undefined;
  }
}
