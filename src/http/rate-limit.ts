import { ServiceError } from '../shared/errors';
import type { Principal, Scope } from '../shared/scopes';
import { createTokenBuckets, type Rate } from '../shared/token-buckets';

export interface RateLimitSettings {
  requestsPerSecond: number;
  completionsPerSecond: number;
  /** For how many seconds of the rate a burst is let through. */
  burstSeconds: number;
}

/** Counts a request of this principal. */
export type LimitRate = (
  principal: Principal,
  scope: Scope,
) => {
  /** What the answer says of the limit, whatever the answer is. */
  headers: Readonly<Record<string, string>>;
  /** Present when the request is one too many. */
  refusal: ServiceError | undefined;
};

/** The most buckets of one process. */
const capacity = 100_000;

/**
 * Limits each environment and set of scopes, so that a second key pair does not double a limit and a pair that ships in an
 * SDK host takes nothing from the one of the bank. Completions have buckets of their own.
 *
 * The headers are those of draft-ietf-httpapi-ratelimit-headers-10: `q` requests in `w` seconds, `r` are left, all are in `t`
 * seconds.
 */
export function createRateLimit(settings: RateLimitSettings): LimitRate {
  const buckets = createTokenBuckets(capacity);

  return ({ environmentId, scopes, rateLimits }, scope) => {
    const policy = scope === 'contributions:complete' ? 'completions' : 'requests';
    const perSecond =
      policy === 'completions'
        ? (rateLimits.completionsPerSecond ?? settings.completionsPerSecond)
        : (rateLimits.requestsPerSecond ?? settings.requestsPerSecond);
    const rate: Rate = { perSecond, burst: perSecond * settings.burstSeconds };
    const taken = buckets.take(`${policy} ${environmentId} ${scopes.join(' ')}`, rate);
    return {
      headers: {
        'RateLimit-Policy': `"${policy}";q=${rate.burst};w=${settings.burstSeconds}`,
        RateLimit: `"${policy}";r=${taken.remaining};t=${Math.ceil(taken.secondsUntilFull)}`,
      },
      refusal: taken.isTaken ? undefined : tooMany(policy, rate, taken.secondsUntilNext),
    };
  };
}

function tooMany(policy: string, { perSecond, burst }: Rate, secondsUntilNext: number): ServiceError {
  return new ServiceError('rate_limited', {
    detail:
      `More ${policy} than ${perSecond} a second, after a burst of ${burst}. ` +
      'Nothing was done: send the same request again after the time in Retry-After.',
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(secondsUntilNext))) },
  });
}
