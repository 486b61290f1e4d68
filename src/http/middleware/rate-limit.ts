import type { Rejection } from '../../shared/errors';
import type { Principal, Scope } from '../../shared/scopes';
import { classOfScope } from '../../shared/traffic-classes';
import { createTokenBuckets, type Rate } from '../../shared/token-buckets';

export interface RateLimitSettings {
  requestsPerSecond: number;
  completionsPerSecond: number;
  /** For how many seconds of the rate a burst is let through. */
  burstSeconds: number;
}

/** Counts a request of this principal. */
export type LimitRate = (
  principal: Principal,
  /** Undefined where no operation has the path. */
  scope: Scope | undefined,
) => {
  /** What the answer says of the limit, whatever the answer is. */
  headers: Readonly<Record<string, string>>;
  /** Present when the request exceeds the limit. */
  refusal: Rejection | undefined;
  /** Uncounts the request, for which nothing was done. Further calls have no effect. */
  putBack: () => void;
};

/** The most buckets of one process. */
const capacity = 100_000;

/**
 * Limits each environment and set of scopes, so that a second key pair does not double a limit and
 * a pair that ships in an SDK host takes nothing from the one of the bank. Completions have buckets
 * of their own.
 *
 * The headers are those of draft-ietf-httpapi-ratelimit-headers-10: `q` requests in `w` seconds,
 * `r` are left, all are in `t` seconds.
 */
export function createRateLimit(settings: RateLimitSettings): LimitRate {
  const buckets = createTokenBuckets(capacity);

  return ({ environmentId, scopes, rateLimits }, scope) => {
    const policy = scope !== undefined && classOfScope(scope) === 'completions' ? 'completions' : 'requests';
    const perSecond =
      policy === 'completions'
        ? (rateLimits.completionsPerSecond ?? settings.completionsPerSecond)
        : (rateLimits.requestsPerSecond ?? settings.requestsPerSecond);
    const rate: Rate = { perSecond, burst: perSecond * settings.burstSeconds };
    const key = `${policy} ${environmentId} ${scopes.join(' ')}`;
    const taken = buckets.take(key, rate);
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
      'Nothing was done. Wait Retry-After seconds, then retry.',
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(secondsUntilNext))) },
  };
}
