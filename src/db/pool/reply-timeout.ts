export class ReplyTimeout extends Error {}

/**
 * Waits for the promise, at most for this time. The work behind the promise continues.
 *
 * @throws ReplyTimeout
 */
export function withReplyTimeout<Result>(promise: Promise<Result>, timeoutMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ReplyTimeout(`no reply within ${timeoutMs} ms`));
    }, timeoutMs);
    const stop = (): void => {
      clearTimeout(timer);
    };
    promise.then(stop, stop);
    promise.then(resolve, reject);
  });
}
