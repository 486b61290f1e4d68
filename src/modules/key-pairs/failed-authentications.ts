import { networksToCount } from '../../http/request/client-address';
import { createTokenBuckets, type Rate, type TokenBuckets } from '../../shared/token-buckets';

export interface FailedAuthenticationLimits {
  /** For one API-Key from one client address. */
  perPairAndMinute: number;
  /** For all keys together from one client address. */
  perAddressAndMinute: number;
}

export interface FailedAuthentications {
  /**
   * Counts an attempt that failed, or that may fail: one with a key that this process does not
   * know.
   *
   * @returns the seconds to wait when there were too many, otherwise undefined
   */
  count(clientAddress: string, apiKey: string): number | undefined;
  /** Takes one back that was counted and did not fail. */
  uncount(clientAddress: string, apiKey: string): void;
}

/** The most buckets of one process, of each of the two kinds. */
const capacity = 10_000;

const perMinute = (count: number): Rate => ({ perSecond: count / 60, burst: count });

/**
 * Throttles failed authentications by client address and key together, and the unknown keys of an
 * address. Never by key alone: a stranger elsewhere could lock a partner out. IPv6 addresses count
 * for their /64, their /56 and their /48.
 *
 * @param onThrottled told which of the two was exceeded
 */
export function createFailedAuthentications(
  limits: FailedAuthenticationLimits,
  onThrottled: (policy: 'failures_of_pair' | 'failures_of_address') => void = () => undefined,
): FailedAuthentications {
  const pairs = createTokenBuckets(capacity);
  const addresses = createTokenBuckets(capacity);

  /**
   * The buckets of an attempt. Addresses come first and wide networks before narrow ones: an
   * attempt that one of them refuses adds few.
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
    count(clientAddress, apiKey) {
      const taken: Bucket[] = [];
      for (const bucket of bucketsOf(clientAddress, apiKey)) {
        const { isTaken, secondsUntilNext } = bucket.buckets.take(bucket.key, bucket.rate);
        if (!isTaken) {
          // What one bucket refuses takes nothing from the others: others behind the same address
          // have a share of those.
          taken.forEach(putBack);
          onThrottled(bucket.policy);
          return Math.max(1, Math.ceil(secondsUntilNext));
        }
        taken.push(bucket);
      }
      return undefined;
    },
    uncount(clientAddress, apiKey) {
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
