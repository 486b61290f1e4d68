/** A failed environment is skipped for this time, so that it does not delay the others. */
const suspensionMs = 30_000;
/**
 * After this many failures, a pass over the environments ends early, because each may take seconds.
 */
const mostFailures = 20;

/** The result of a pass over environments. */
export interface Pass {
  /** The sum of the counts that the environments returned. */
  count: number;
  failedCount: number;
  /** The last failure. */
  error: unknown;
}

/**
 * Runs work for each environment separately, after a run for all environments has failed. If the
 * server of one environment is unavailable, it must not block the others.
 */
export interface EnvironmentPasses {
  /** @param isStopped ends the pass before the next environment */
  pass(
    environments: () => Promise<readonly number[]>,
    work: (environmentId: number) => Promise<number>,
    isStopped?: () => boolean,
  ): Promise<Pass>;
}

export function createEnvironmentPasses(now: () => number = () => performance.now()): EnvironmentPasses {
  const suspendedUntil = new Map<number, number>();
  return {
    async pass(environments, work, isStopped = () => false) {
      const result: Pass = { count: 0, failedCount: 0, error: undefined };
      try {
        for (const environmentId of await environments()) {
          if (isStopped() || result.failedCount === mostFailures) break;
          if ((suspendedUntil.get(environmentId) ?? 0) > now()) continue;
          try {
            result.count += await work(environmentId);
          } catch (error) {
            result.error = error;
            result.failedCount += 1;
            suspendedUntil.set(environmentId, now() + suspensionMs);
          }
        }
      } catch (error) {
        result.error = error;
      }
      return result;
    },
  };
}
