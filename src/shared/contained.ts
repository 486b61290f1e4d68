/**
 * Passes an exception to the process's handler of uncaught exceptions, which logs and counts it,
 * after the current call has ended.
 */
export function reportUncaught(error: unknown): void {
  process.nextTick(() => {
    throw error;
  });
}

/**
 * Wraps a function that Node calls, such as a listener or a timer. An exception in it would skip
 * the listeners after it, and whatever the caller does next. The wrapped function never throws. It
 * ends what it was called for, and reports the exception.
 *
 * @param end ends it, after an exception or a rejection
 */
export function contained<This, Parameters extends unknown[]>(
  run: (this: This, ...parameters: Parameters) => unknown,
  end?: (...parameters: Parameters) => void,
): (this: This, ...parameters: Parameters) => void {
  const failed = (error: unknown, parameters: Parameters): void => {
    reportUncaught(error);
    try {
      end?.(...parameters);
    } catch (endError) {
      reportUncaught(endError);
    }
  };
  return function (this: This, ...parameters) {
    try {
      const result = run.apply(this, parameters);
      if (result instanceof Promise)
        result.catch((error: unknown) => {
          failed(error, parameters);
        });
    } catch (error) {
      failed(error, parameters);
    }
  };
}
