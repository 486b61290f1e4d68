import { readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';

/** The unit of the times in /proc: a hundredth of a second, wherever Node runs. */
const tickMs = 10;

/**
 * Called in a thread.
 *
 * @returns the folder of the thread in /proc; undefined on systems other than Linux
 */
export function threadFolder(): string | undefined {
  try {
    return path.join('/proc', readlinkSync('/proc/thread-self'));
  } catch {
    return undefined;
  }
}

/**
 * The CPU time that a thread has taken, in milliseconds. The kernel counts it, so it is right while
 * the thread is busy, and on a loaded machine. `worker.cpuUsage` exists only since Node 24, and
 * `eventLoopUtilization` counts the time in which a busy thread waits for a CPU. Outside of Linux,
 * where only developers run the service, the latter must do.
 *
 * @param folder from `threadFolder`
 * @returns 0 for a thread that has ended
 */
export function threadCpuMs(worker: Pick<Worker, 'performance'>, folder: string | undefined): number {
  if (folder === undefined) return worker.performance.eventLoopUtilization().active;
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
