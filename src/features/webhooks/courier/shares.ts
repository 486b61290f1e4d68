/**
 * What the last delivery to an endpoint shows. `untried`: nothing was sent yet. `failing`: the last
 * attempt failed, or the endpoint is slow.
 */
export type Reliability = 'proven' | 'untried' | 'failing';

/** Limits on the concurrent use of a scarce resource of the process, such as requests. */
export interface ShareLimits {
  all: number;
  /** The limit for untried and failing endpoints. Proven endpoints can always take the rest. */
  unproven: number;
  /** The limit for failing endpoints. Untried endpoints can always take the rest of `unproven`. */
  failing: number;
  /** The limit for the endpoints of one environment. */
  ofEnvironment: number;
  /** The limit for the untried and failing endpoints of one environment. */
  unprovenOfEnvironment: number;
}

/**
 * Divides the slots for requests, or for served endpoints, among the endpoints of all partners. The
 * endpoints of an environment get slots even if many endpoints of other environments are down.
 */
export type Shares = ReturnType<typeof createShares>;

interface Taken {
  all: number;
  unproven: number;
}

export function createShares(limits: ShareLimits) {
  const taken = { all: 0, unproven: 0, failing: 0 };
  const byEnvironment = new Map<number, Taken>();

  function add(reliability: Reliability, environmentId: number, count: 1 | -1): void {
    const of = byEnvironment.get(environmentId) ?? { all: 0, unproven: 0 };
    byEnvironment.set(environmentId, of);
    taken.all += count;
    of.all += count;
    if (reliability !== 'proven') {
      taken.unproven += count;
      of.unproven += count;
    }
    if (reliability === 'failing') taken.failing += count;
    if (of.all === 0) byEnvironment.delete(environmentId);
  }

  return {
    isFree(reliability: Reliability, environmentId: number) {
      const of = byEnvironment.get(environmentId) ?? { all: 0, unproven: 0 };
      if (taken.all >= limits.all || of.all >= limits.ofEnvironment) return false;
      if (reliability === 'proven') return true;
      if (taken.unproven >= limits.unproven || of.unproven >= limits.unprovenOfEnvironment) return false;
      return reliability === 'untried' || taken.failing < limits.failing;
    },
    /** Takes a slot. The caller must call the returned function once to free it. */
    take(reliability: Reliability, environmentId: number) {
      add(reliability, environmentId, 1);
      return () => {
        add(reliability, environmentId, -1);
      };
    },
    /** The number of slots that an environment uses. */
    takenBy: (environmentId: number) => byEnvironment.get(environmentId)?.all ?? 0,
    /** Environments whose untried and failing endpoints can take no more slots. */
    environmentsAtLimit: () =>
      [...byEnvironment]
        .filter(([, { unproven }]) => unproven >= limits.unprovenOfEnvironment)
        .map(([environmentId]) => environmentId),
  };
}
