/** Waits without being counted as work in progress. */
export type Pause = (wait: () => Promise<void>) => Promise<void>;

/**
 * Runs the database work of a request, or rejects it.
 *
 * @param proves whether the result shows that the database server of the environment responds
 * @param work gets `Pause` if the environment is limited
 */
export type LimitWork = <Result>(
  environmentId: number,
  proves: (result: Result) => boolean,
  work: (pause: Pause | undefined) => Promise<Result>,
) => Promise<Result>;
