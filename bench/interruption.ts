import { once } from 'node:events';

const controller = new AbortController();

/**
 * Aborted when somebody interrupts the benchmark or closes its output. The benchmark then cleans up
 * and fails.
 */
export const interruption: AbortSignal = controller.signal;

/** Installs the signal handlers. */
export function watchForInterruption(): void {
  const interrupt = (reason: string): void => {
    controller.abort(new Error(reason));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interrupt(`interrupted by ${signal}`);
    });
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      interrupt('the output was closed');
    });
  }
}

/**
 * Waits for work that cannot be cancelled. An interruption ends the wait, but not the work.
 *
 * @throws Error as soon as the benchmark is interrupted
 */
export async function orInterrupted<T>(work: () => Promise<T>): Promise<T> {
  interruption.throwIfAborted();
  const over = new AbortController();
  const interrupted = once(interruption, 'abort', { signal: over.signal }).then((): never => {
    throw interruption.reason as Error;
  });
  try {
    return await Promise.race([work(), interrupted]);
  } finally {
    over.abort();
  }
}
