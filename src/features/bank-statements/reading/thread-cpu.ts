import { readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';

/** A thread can exceed its limit of CPU time by this time. */
const checkMs = 200;
/** The unit of the times in /proc: a hundredth of a second, wherever Node runs. */
const tickMs = 10;

/**
 * Called in a thread.
 *
 * @returns the folder of the thread in /proc; empty on systems other than Linux
 */
export function threadFolder(): string {
  try {
    return path.join('/proc', readlinkSync('/proc/thread-self'));
  } catch {
    return '';
  }
}

/**
 * The CPU time that a thread has taken, in milliseconds. The kernel counts it, so it is right while
 * the thread is busy, and on a loaded machine. `worker.cpuUsage` exists only since Node 24, and
 * `eventLoopUtilization` counts the time in which a busy thread waits for a CPU. Outside of Linux,
 * where only developers run the service, the latter must do.
 *
 * @param folder from `threadFolder`; undefined until the thread has said it
 * @returns 0 for a thread that has not started or has ended
 */
export function threadCpuMs(worker: Pick<Worker, 'performance'>, folder: string | undefined): number {
  // Its wall time would count: a loaded machine starts a thread late.
  if (folder === undefined) return 0;
  if (folder === '') return worker.performance.eventLoopUtilization().active;
  let stat: string;
  try {
    stat = readFileSync(path.join(folder, 'stat'), 'latin1');
  } catch {
    return 0;
  }
  // The second field is a name in parentheses. It may contain blanks.
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * tickMs;
}

/**
 * Watches the CPU time of a thread.
 *
 * @param folder of the thread, as soon as it is known
 * @param fail is called while the thread exceeds the limit
 * @returns the timer, to be cleared when the thread ends
 */
export const limitCpu = (
  worker: Worker,
  cpuMs: number,
  folder: () => string | undefined,
  fail: () => void,
): NodeJS.Timeout =>
  setInterval(() => {
    if (threadCpuMs(worker, folder()) > cpuMs) fail();
  }, checkMs);
