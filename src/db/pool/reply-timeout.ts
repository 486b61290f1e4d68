export class ResponseTimeout extends Error {}

/**
 * @throws AnswerTimeout when the promise takes longer; what it does then is somebody else's
 *   business
 */
export function withTimeout<Result>(promise: Promise<Result>, timeoutMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ResponseTimeout(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    const stop = (): void => {
      clearTimeout(timer);
    };
    promise.then(stop, stop);
    promise.then(resolve, reject);
  });
}
