import type { TrafficClass } from '../../../shared/traffic-classes';

/** Smaller bodies are normal and not counted. The limits on requests bound their memory. */
const smallBodyBytes = 2 * 1024;

const mebibyte = 1024 * 1024;

export interface BodyLimits {
  /** Bytes of the bodies of one environment or client address, from arrival to the response. */
  ofFlow: number;
  /** The same for all environments, or for all client addresses. */
  total: number;
}

/**
 * Requests with and without a verified key pair have separate limits, so anonymous clients cannot
 * use up the memory of partners. Each sender may send several bodies of the maximum size at once.
 */
const limitsOfBodies = (bodyLimitBytes: number): Record<'verified' | 'unverified', BodyLimits> => ({
  verified: { ofFlow: Math.max(4 * mebibyte, 16 * bodyLimitBytes), total: 48 * mebibyte },
  unverified: { ofFlow: Math.max(mebibyte, 4 * bodyLimitBytes), total: 8 * mebibyte },
});

/** The counted bodies of all verified senders, or of all others. */
interface Account {
  readonly limits: BodyLimits;
  readonly ofFlows: Map<string | number, number>;
  total: number;
}

/** The bytes that a request takes from the budget. */
export interface CountedBody {
  readonly account: Account;
  readonly flow: string | number;
  readonly bytes: number;
}

interface RequestWithBody {
  readonly trafficClass: TrafficClass;
  readonly flow: string | number;
  /** The limit of the body, if it is a file. One file may come in addition to other bodies. */
  readonly bodyLimitBytes: number | undefined;
  counted: CountedBody | undefined;
}

/** Bounds the memory of request bodies. */
export function createBodyBudget(bodyLimitBytes: number) {
  const limits = limitsOfBodies(bodyLimitBytes);
  const newAccount = (own: BodyLimits): Account => ({ limits: own, ofFlows: new Map(), total: 0 });
  const verified = newAccount(limits.verified);
  const unverified = newAccount(limits.unverified);

  function release(request: RequestWithBody): void {
    if (!request.counted) return;
    const { account, flow, bytes } = request.counted;
    request.counted = undefined;
    const left = (account.ofFlows.get(flow) ?? 0) - bytes;
    if (left > 0) account.ofFlows.set(flow, left);
    else account.ofFlows.delete(flow);
    account.total -= bytes;
  }

  return {
    /**
     * Counts the bytes of a body that have arrived so far, instead of those counted before. A
     * `Content-Length` alone takes no memory and does not count.
     *
     * @returns false when the sender or all senders together exceed their limit; the request then
     *   no longer counts
     */
    count(request: RequestWithBody, bytes: number) {
      if (request.counted) release(request);
      if (bytes <= smallBodyBytes) return true;
      const { flow, trafficClass, bodyLimitBytes: fileBytes = 0 } = request;
      const account = trafficClass === 'unverified' ? unverified : verified;
      const ofFlow = (account.ofFlows.get(flow) ?? 0) + bytes;
      if (ofFlow > account.limits.ofFlow + fileBytes || account.total + bytes > account.limits.total)
        return false;
      account.ofFlows.set(flow, ofFlow);
      account.total += bytes;
      request.counted = { account, flow, bytes };
      return true;
    },
    release,
  };
}
