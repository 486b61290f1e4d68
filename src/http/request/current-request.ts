/**
 * The id of the request whose handler is running. It is set from the start of the handler until its
 * first `await`, which is when it passes its query to the database. After that, it is not
 * known.
 *
 * AsyncLocalStorage would keep it longer. With it, a user's main component takes 1.06 times the CPU
 * time on Node 20 (20 pairs of starts, 95 % interval 1.01 to 1.10). Measure again when Node 20 is
 * no longer supported.
 */
export type CurrentRequest = ReturnType<typeof createCurrentRequest>;

export function createCurrentRequest() {
  let current: string | undefined;
  return {
    /** Runs the synchronous part of `work` with this request id. */
    run<Result>(requestId: string, work: () => Result) {
      current = requestId;
      try {
        return work();
      } finally {
        current = undefined;
      }
    },
    /** Undefined outside a request, and after the first `await`. */
    id: () => current,
  };
}
