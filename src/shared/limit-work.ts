/**
 * Runs the database work of a request, or rejects it.
 *
 * @param changes whether the work changes data
 */
export type LimitWork = <Result>(
  environmentId: number,
  changes: boolean,
  work: () => Promise<Result>,
) => Promise<Result>;
