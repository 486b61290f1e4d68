/** Resolves after this time, or when the signal is aborted. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    if (signal.aborted) finish();
    else signal.addEventListener('abort', finish);
  });

/** Runs `work` with a signal that SIGINT, SIGTERM and the loss of the output abort. */
export async function untilStopped<Result>(
  lost: AbortSignal,
  work: (stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const end = (): void => {
    stop.abort();
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  lost.addEventListener('abort', end);
  if (lost.aborted) end();
  try {
    return await work(stop.signal);
  } finally {
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
    lost.removeEventListener('abort', end);
  }
}
