/** The waits between the attempts of one event, in seconds: about 76 hours in total. */
const waitsSeconds = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;
/** The waits between the probes of an endpoint that fails completely. The last one repeats. */
const probesSeconds = [30, 60, 120, 300, 900, 1_800, 3_600] as const;
const hourSeconds = 3_600;
/** An outage is declared after this many consecutive failures, if they last for `outageSeconds`. */
export const failuresOfOutage = 10;
const outageSeconds = 60;
/** The wait between attempts from the tenth failure until the outage is declared. */
const suspectedProbeSeconds = 5;

/** An endpoint that fails for 5 days is disabled. */
export const disablesAfterSeconds = 5 * 86_400;

/** An event is exhausted after this many failures. Failures of an outage do not count. */
export const mostAttempts = waitsSeconds.length + 1;

/**
 * The wait after a failed attempt, in seconds. `Retry-After` can lengthen it within limits. A
 * repeat of the last attempt waits an hour.
 *
 * @param attempts the number of failed attempts, at least 1
 * @param random from 0 to 1, for a variation of 20 %
 */
export function retryWaitSeconds(
  attempts: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number {
  const step = waitsSeconds[attempts - 1] ?? hourSeconds;
  const varied = step * (0.8 + 0.4 * random);
  if (retryAfterSeconds === undefined) return varied;
  return Math.min(Math.max(varied, retryAfterSeconds), Math.max(hourSeconds, 2 * step));
}

/** The health of the deliveries to an endpoint. */
export interface EndpointHealth {
  /** The number of consecutive failures. */
  failureCount: number;
  /** Seconds since the first of these failures; 0 without failures. */
  failingForSeconds: number;
  /** Probes since the outage was declared. */
  probeCount: number;
}

export interface NextHealth {
  failureCount: number;
  failingSince: 'never' | 'before' | 'now';
  /** The seconds until the next probe. Deliveries stop until then. Undefined if they continue. */
  nextProbeSeconds: number | undefined;
  probeCount: number;
}

/**
 * The health after some attempts.
 *
 * @param succeeded whether any attempt succeeded
 * @param failures the number of failures after the last success of these attempts
 */
export function nextHealth(health: EndpointHealth, succeeded: boolean, failures: number): NextHealth {
  const before = succeeded ? 0 : health.failureCount;
  const failureCount = before + failures;
  const failingSince = failureCount === 0 ? 'never' : before === 0 ? 'now' : 'before';
  const base = { failureCount, failingSince } as const;
  if (failureCount < failuresOfOutage) return { ...base, nextProbeSeconds: undefined, probeCount: 0 };
  if (failingSince === 'now' || health.failingForSeconds < outageSeconds)
    return { ...base, nextProbeSeconds: suspectedProbeSeconds, probeCount: 0 };
  const { probeCount } = health;
  const nextProbeSeconds = probesSeconds[Math.min(probeCount, probesSeconds.length - 1)];
  return { ...base, nextProbeSeconds, probeCount: probeCount + 1 };
}

/**
 * The health after a probe that attempted nothing, because no wanted event was left. Nothing has
 * failed, so the waits do not get longer.
 *
 * @param hasProgress whether it skipped events or ended retries; then the next probe is due at once
 */
export const healthWithoutAttempt = (
  { failureCount, probeCount }: EndpointHealth,
  hasProgress: boolean,
): NextHealth => ({
  failureCount,
  failingSince: 'before',
  nextProbeSeconds: hasProgress ? 0 : probesSeconds[0],
  probeCount,
});

/** Whether the failures are an outage. Failures of an outage do not use up an event's attempts. */
export const isOutage = ({ failureCount, failingForSeconds }: EndpointHealth): boolean =>
  failureCount >= failuresOfOutage && failingForSeconds >= outageSeconds;
