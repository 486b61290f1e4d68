import { setTimeout } from 'node:timers/promises';

import type { Logger } from '../shared/logger';

/**
 * Logs the parts that were still running when the shutdown timed out. The process then exits with
 * 1.
 */
export function reportStopTimeout(logger: Logger, stillRunning: object): void {
  logger.warn(stillRunning, 'shutdown timed out');
  process.exitCode = 1;
}

/** The longest wait for database connections to close after the last query. */
export const closeTimeoutMs = 2_000;

/** Waits until background work and connections are closed, and reports if that takes too long. */
export async function closeWithin(timeoutMs: number, closed: Promise<void>, logger: Logger): Promise<void> {
  const timeout = setTimeout(timeoutMs, 'timeout' as const, { ref: false });
  if ((await Promise.race([closed, timeout])) === 'timeout')
    reportStopTimeout(logger, { database: 'a statement is still running' });
}
