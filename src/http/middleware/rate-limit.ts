import type { Rejection } from '../../shared/errors';
import type { Principal, RateLimits } from '../../shared/scopes';
import type { RatePolicy } from '../../shared/traffic-classes';
import { createTokenBuckets, type Rate } from '../../shared/token-buckets';

export interface RateLimitSettings {
  requestsPerSecond: number;
  completionsPerSecond: number;
  /** The size of a burst, in seconds of the rate. */
  burstSeconds: number;
}

/** Files per second: one for each 500 completions of the rate, but at least one. */
export const batchesPerSecond = (completionsPerSecond: number): number =>
  Math.max(1, Math.floor(completionsPerSecond / 500));

/** The rate of an environment. An operator's limits replace those of the settings. */
export function rateOf(settings: RateLimitSettings, limits: RateLimits, policy: RatePolicy): Rate {
  const completions = limits.completionsPerSecond ?? settings.completionsPerSecond;
  const requests = limits.requestsPerSecond ?? settings.requestsPerSecond;
  const perSecond =
    policy === 'requests' ? requests : policy === 'completions' ? completions : batchesPerSecond(completions);
  return { perSecond, burst: perSecond * settings.burstSeconds };
}

/** Counts a request of this principal. */
export type LimitRate = (
  principal: Principal,
  policy: RatePolicy,
) => {
  /** The RateLimit headers of the response. */
  headers: Readonly<Record<string, string>>;
  /** Present when the request exceeds the limit. */
  refusal: Rejection | undefined;
  /** Returns the token, because nothing was done for the request. Idempotent. */
  putBack: () => void;
};

/** The maximum number of buckets. */
const capacity = 100_000;

/**
 * Limits the request rate of each environment and set of scopes. A second key pair with the same
 * scopes shares the limit. A pair with other scopes, such as one in an app, does not use up a
 * bank's limit. Completions have separate buckets, and so have files of many completions.
 *
 * The headers follow draft-ietf-httpapi-ratelimit-headers-10: the quota is `q` requests in `w`
 * seconds, `r` requests remain, and the full quota is available again in `t` seconds.
 *
 * @param onRefusal called for each request that exceeds its limit
 */
export function createRateLimit(
  settings: RateLimitSettings,
  onRefusal: (policy: RatePolicy) => void,
): LimitRate {
  const buckets = createTokenBuckets(capacity);

  return ({ environmentId, scopes, rateLimits }, policy) => {
    const rate = rateOf(settings, rateLimits, policy);
    const key = `${policy} ${environmentId} ${scopes.join(' ')}`;
    const taken = buckets.take(key, rate);
    if (!taken.isTaken) onRefusal(policy);
    let isHeld = taken.isTaken;
    return {
      headers: {
        'RateLimit-Policy': `"${policy}";q=${rate.burst};w=${settings.burstSeconds}`,
        RateLimit: `"${policy}";r=${taken.remaining};t=${Math.ceil(taken.secondsUntilFull)}`,
      },
      refusal: taken.isTaken ? undefined : tooMany(policy, rate, taken.secondsUntilNext),
      putBack: () => {
        if (isHeld) buckets.putBack(key, rate);
        isHeld = false;
      },
    };
  };
}

function tooMany(policy: string, { perSecond, burst }: Rate, secondsUntilNext: number): Rejection {
  return {
    code: 'rate_limited',
    detail:
      `The limit is ${perSecond} ${policy} per second with a burst of ${burst}. ` +
      'No changes were made. Wait Retry-After seconds, then retry.',
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(secondsUntilNext))) },
  };
}
