import { createTokenBuckets, type Rate } from '../../shared/token-buckets';

export interface FailedAuthenticationLimits {
  /** For one API-Key from one client address. */
  perPairAndMinute: number;
  /** For all keys together from one client address. */
  perAddressAndMinute: number;
}

export interface FailedAuthentications {
  /**
   * Counts an attempt that failed, or that may fail: one with a key that this process does not know.
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
 * Throttles failed authentications by client address and key together, and the unknown keys of an address. Never by key
 * alone: a stranger elsewhere could lock a partner out.
 *
 * @param onThrottled told which of the two was exceeded
 */
export function createFailedAuthentications(
  limits: FailedAuthenticationLimits,
  onThrottled: (policy: 'failures_of_pair' | 'failures_of_address') => void = () => undefined,
): FailedAuthentications {
  const pairs = createTokenBuckets(capacity);
  const addresses = createTokenBuckets(capacity);
  const pairRate = perMinute(limits.perPairAndMinute);
  const addressRate = perMinute(limits.perAddressAndMinute);

  return {
    count(clientAddress, apiKey) {
      const ofPair = pairs.take(`${clientAddress} ${apiKey}`, pairRate);
      // What is refused for the pair takes nothing from the others behind the same address.
      const refused = ofPair.isTaken ? addresses.take(clientAddress, addressRate) : ofPair;
      if (!refused.isTaken) onThrottled(ofPair.isTaken ? 'failures_of_address' : 'failures_of_pair');
      return refused.isTaken ? undefined : Math.max(1, Math.ceil(refused.secondsUntilNext));
    },
    uncount(clientAddress, apiKey) {
      pairs.putBack(`${clientAddress} ${apiKey}`, pairRate);
      addresses.putBack(clientAddress, addressRate);
    },
  };
}
