export class AnswerTimeout extends Error {}

/** @throws AnswerTimeout when the promise takes longer; what it does then is somebody else's business */
export async function withTimeout<Result>(promise: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new AnswerTimeout(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
