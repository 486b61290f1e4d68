import { once } from 'node:events';

const controller = new AbortController();

/**
 * Aborted when somebody ends the benchmark, or reads no more of what it says. Then everything ends
 * in the ordinary way: failed.
 */
export const interruption: AbortSignal = controller.signal;

/** Hears that the benchmark is to end. */
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
      interrupt('nobody reads what is said');
    });
  }
}

/**
 * Waits for something that does not hear of an interruption by itself.
 *
 * @throws Error as soon as there is one; the work is left alone
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
