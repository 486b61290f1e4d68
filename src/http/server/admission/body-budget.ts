import type { TrafficClass } from '../../../shared/traffic-classes';

/** Ordinary bodies are smaller. They are not counted: the number of requests bounds them. */
const smallBodyBytes = 2 * 1024;

const mebibyte = 1024 * 1024;

export interface BodyLimits {
  /**
   * Bytes of bodies that one environment or client address may have arriving, waiting and in
   * progress.
   */
  ofFlow: number;
  /** The same for all of them together. */
  total: number;
}

/**
 * Senders with a verified key pair and all others have limits of their own, so that strangers
 * cannot use up what partners need. Each sender may have several bodies of the largest size,
 * whatever that is.
 */
export const limitsOfBodies = (bodyLimitBytes: number): Record<'verified' | 'unverified', BodyLimits> => ({
  verified: { ofFlow: Math.max(4 * mebibyte, 16 * bodyLimitBytes), total: 48 * mebibyte },
  unverified: { ofFlow: Math.max(mebibyte, 4 * bodyLimitBytes), total: 8 * mebibyte },
});

/** The bodies of one kind of senders. */
interface Account {
  readonly limits: BodyLimits;
  readonly ofFlows: Map<string | number, number>;
  total: number;
}

/** What a request has in the budget. */
export interface CountedBody {
  readonly account: Account;
  readonly flow: string | number;
  readonly bytes: number;
}

interface Bodied {
  readonly trafficClass: TrafficClass;
  readonly flow: string | number;
  counted: CountedBody | undefined;
}

export interface BodyBudget {
  /**
   * Replaces what a request has in the budget by what has arrived of its body so far. An announced
   * body takes no memory.
   *
   * @returns false when its sender, or all senders of its kind, have too much; then the request
   *   counts no more
   */
  count: (request: Bodied, bytes: number) => boolean;
  release: (request: Bodied) => void;
}

/** Bounds the memory of request bodies. */
export function createBodyBudget(bodyLimitBytes: number): BodyBudget {
  const limits = limitsOfBodies(bodyLimitBytes);
  const newAccount = (own: BodyLimits): Account => ({ limits: own, ofFlows: new Map(), total: 0 });
  const verified = newAccount(limits.verified);
  const unverified = newAccount(limits.unverified);

  function release(request: Bodied): void {
    if (!request.counted) return;
    const { account, flow, bytes } = request.counted;
    request.counted = undefined;
    const left = (account.ofFlows.get(flow) ?? 0) - bytes;
    if (left > 0) account.ofFlows.set(flow, left);
    else account.ofFlows.delete(flow);
    account.total -= bytes;
  }

  return {
    count(request, bytes) {
      release(request);
      if (bytes <= smallBodyBytes) return true;
      const { flow, trafficClass } = request;
      const account = trafficClass === 'unverified' ? unverified : verified;
      const ofFlow = (account.ofFlows.get(flow) ?? 0) + bytes;
      if (ofFlow > account.limits.ofFlow || account.total + bytes > account.limits.total) return false;
      account.ofFlows.set(flow, ofFlow);
      account.total += bytes;
      request.counted = { account, flow, bytes };
      return true;
    },
    release,
  };
}
