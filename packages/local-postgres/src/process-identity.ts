import { existsSync, readFileSync } from 'node:fs';
import { errorCode } from './files';

/** Distinguishes a process from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * The start time in the format of the platform. Null if the platform provides none, so that only
   * the ids are compared.
   */
  readonly startTime: string | null;
}

/** The running process with this id; undefined if there is none. A zombie counts as ended. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!respondsToSignals(pid)) return undefined;
  if (process.platform !== 'linux') return { pid, startTime: null };
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc_pid_stat(5): field 2 is the name, which may contain spaces and parentheses; field 3 is
    // the state, field 22 the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid, startTime: `${bootId()}/${fields[19] ?? ''}` };
  } catch {
    return existsSync('/proc/self/stat') ? undefined : { pid, startTime: null };
  }
}

export function thisProcess(): ProcessIdentity {
  return identifyProcess(process.pid) ?? { pid: process.pid, startTime: null };
}

/** Whether exactly that process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identifyProcess(identity.pid);
  return now !== undefined && isSameProcess(now, identity);
}

export function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && (a.startTime === null || b.startTime === null || a.startTime === b.startTime);
}

/** Parses the JSON of an identity, which may have more properties; undefined for other text. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const value = JSON.parse(text) as Partial<ProcessIdentity> | null;
    if (typeof value?.pid !== 'number' || !Number.isInteger(value.pid) || value.pid <= 0) return undefined;
    return { pid: value.pid, startTime: typeof value.startTime === 'string' ? value.startTime : null };
  } catch {
    return undefined;
  }
}

function respondsToSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Start times are relative to the boot, so they repeat after a reboot. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
