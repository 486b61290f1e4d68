import { setTimeout as delay } from 'node:timers/promises';

import { ServiceError } from '../../../shared/errors';
import { createTokenBuckets, type Rate } from '../../../shared/token-buckets';

/**
 * Limits what partners can make the service send: pings, resends, replays, and the deliveries that
 * start again. Each process counts for itself, as for rate limits. Ordinary deliveries are not
 * limited here: they follow events, and stop by themselves.
 */
export interface SendLimits {
  /**
   * Does work that counts as a failure, such as a ping, unless it throws or `isFree`.
   *
   * @throws ServiceError rate_limited if the environment has had too many failures
   */
  asFailure<T>(environmentId: number, work: () => Promise<T>, isFree?: (result: T) => boolean): Promise<T>;
  /**
   * Takes a ping or a resend from the budget of the URL's host, which all companies
   * share.
   *
   * @throws ServiceError rate_limited
   */
  takeRequest(url: string): void;
  /** Waits for a request of the budget that all replays to the host share. */
  waitForRequest(url: string): Promise<void>;
}

const failures: Rate = { perSecond: 1 / 30, burst: 10 };
/** For pings and resends, and again for replays: neither can hold up the other. */
const requests: Rate = { perSecond: 100, burst: 50 };
const mostBuckets = 10_000;

const tooManyFailed =
  'Ten pings or resends of your environment have failed or are in progress, and another one is allowed every 30 seconds. An enable, a change of a URL and a replay count like a failed ping. Repair the receiver.';
const tooManySent = 'The host of this endpoint gets 100 pings and resends a second.';

const limited = (detail: string, waitSeconds: number): ServiceError =>
  new ServiceError('rate_limited', {
    detail: `${detail} Wait Retry-After seconds.`,
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitSeconds))) },
  });

/** The name and the port: in development, each port of this machine is another receiver. */
const hostOf = (url: string): string => new URL(url).host.replace(/\.(?=:|$)/, '');

/** @param nowMs a monotonic clock */
export function createSendLimits(nowMs?: () => number): SendLimits {
  const failed = createTokenBuckets(mostBuckets, nowMs);
  const hosts = createTokenBuckets(mostBuckets, nowMs);

  return {
    async asFailure(environmentId, work, isFree = () => false) {
      const key = String(environmentId);
      const { isTaken, secondsUntilNext } = failed.take(key, failures);
      if (!isTaken) throw limited(tooManyFailed, secondsUntilNext);
      let counts = false;
      try {
        const result = await work();
        counts = !isFree(result);
        return result;
      } finally {
        if (!counts) failed.putBack(key, failures);
      }
    },
    takeRequest(url) {
      const { isTaken, secondsUntilNext } = hosts.take(`requested ${hostOf(url)}`, requests);
      if (!isTaken) throw limited(tooManySent, secondsUntilNext);
    },
    async waitForRequest(url) {
      for (;;) {
        const { isTaken, secondsUntilNext } = hosts.take(`replayed ${hostOf(url)}`, requests);
        if (isTaken) return;
        await delay(secondsUntilNext * 1_000, undefined, { ref: false });
      }
    },
  };
}
