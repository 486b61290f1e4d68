import { networksToCount } from '../../http/request/client-address';
import { createTokenBuckets, type Rate, type TokenBuckets } from '../../shared/token-buckets';

export interface FailedAuthenticationLimits {
  /** Limit for one API-Key from one client address. */
  perPairAndMinute: number;
  /** Limit for all keys from one client address. */
  perAddressAndMinute: number;
}

export type FailedAuthentications = ReturnType<typeof createFailedAuthentications>;

/** The maximum number of buckets per process, separately for pairs and for addresses. */
const capacity = 10_000;

const perMinute = (count: number): Rate => ({ perSecond: count / 60, burst: count });

/**
 * Throttles failed authentications by client address, and by client address and key. It never
 * throttles by key alone, because a stranger could then lock out a partner. An IPv6 address counts
 * for its /64, /56 and /48.
 *
 * @param onThrottled receives which of the two limits was exceeded
 */
export function createFailedAuthentications(
  limits: FailedAuthenticationLimits,
  onThrottled: (policy: 'failures_of_pair' | 'failures_of_address') => void = () => undefined,
) {
  const pairs = createTokenBuckets(capacity);
  const addresses = createTokenBuckets(capacity);

  /**
   * The buckets of an attempt. Addresses come before pairs, and wide networks before narrow ones,
   * so that a rejected attempt creates few buckets.
   */
  function bucketsOf(clientAddress: string, apiKey: string): Bucket[] {
    const networks = networksToCount(clientAddress);
    return [
      ...networks.map(({ network, factor }) => ({
        buckets: addresses,
        key: network,
        rate: perMinute(limits.perAddressAndMinute * factor),
        policy: 'failures_of_address' as const,
      })),
      ...networks.map(({ network, factor }) => ({
        buckets: pairs,
        key: `${network} ${apiKey}`,
        rate: perMinute(limits.perPairAndMinute * factor),
        policy: 'failures_of_pair' as const,
      })),
    ];
  }

  const putBack = ({ buckets, key, rate }: Bucket): void => {
    buckets.putBack(key, rate);
  };

  return {
    /**
     * Counts a failed attempt. An attempt with an unknown key counts before its lookup.
     *
     * @returns the seconds to wait if a limit is exceeded, otherwise undefined
     */
    count(clientAddress: string, apiKey: string) {
      const taken: Bucket[] = [];
      for (const bucket of bucketsOf(clientAddress, apiKey)) {
        const { isTaken, secondsUntilNext } = bucket.buckets.take(bucket.key, bucket.rate);
        if (!isTaken) {
          // A rejected attempt consumes no tokens: other clients share some of these buckets.
          taken.forEach(putBack);
          onThrottled(bucket.policy);
          return Math.max(1, Math.ceil(secondsUntilNext));
        }
        taken.push(bucket);
      }
      return undefined;
    },
    /** Undoes `count` for an attempt that did not fail. */
    uncount(clientAddress: string, apiKey: string) {
      bucketsOf(clientAddress, apiKey).forEach(putBack);
    },
  };
}

interface Bucket {
  readonly buckets: TokenBuckets;
  readonly key: string;
  readonly rate: Rate;
  readonly policy: 'failures_of_pair' | 'failures_of_address';
}
