import { existsSync, readFileSync } from 'node:fs';
import { errorCode } from './files';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; null where the platform does not tell (then only the number is compared). */
  readonly startTime: string | null;
}

/**
 * The living process with this number, or undefined. A zombie has ended: only its parent has not
 * noticed.
 */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!respondsToSignals(pid)) return undefined;
  if (process.platform !== 'linux') return { pid, startTime: null };
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc_pid_stat(5): the name, field 2, may hold spaces and parentheses; state is field 3, start
    // time field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid, startTime: `${bootId()}/${fields[19] ?? ''}` };
  } catch {
    return existsSync('/proc/self/stat') ? undefined : { pid, startTime: null };
  }
}

/** This process. */
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

/**
 * Reads what `JSON.stringify` made of an identity (more properties may be beside it); undefined for
 * anything else.
 */
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

/** Start times count from the boot, so two boots can give the same one. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
