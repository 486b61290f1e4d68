import type { IncomingMessage } from 'node:http';

import type { Rejection } from '../../shared/errors';
import type { Logger } from '../../shared/logger';
import { createTokenBuckets, type Rate } from '../../shared/token-buckets';
import { attemptedApiKeyOf } from '../request/log-line';
import type { RequestContext } from '../request/request-context';

/** @returns the rejection of a request that arrived without TLS */
export type RequireHttps = (context: RequestContext) => Rejection | undefined;

const rejection: Rejection = { code: 'https_required', detail: 'Use https.' };
const rejectionWithCredentials: Rejection = {
  code: 'https_required',
  detail: 'Use https. This request sent the secret unencrypted: have the key pair revoked and replaced.',
};

/** Checks both headers: a client may have sent the secret in place of the key. */
const hasCredentials = ({ headers }: IncomingMessage): boolean =>
  headers['api-key'] !== undefined || headers['api-secret'] !== undefined;

/**
 * Limits on log lines per key and in total, because anonymous clients can send any number of keys.
 */
const perKey: Rate = { perSecond: 20 / 60, burst: 20 };
const allKeys: Rate = { perSecond: 1_000 / 60, burst: 1_000 };

function createKeyLimit(): (apiKey: string) => boolean {
  const keys = createTokenBuckets(1_000);
  const all = createTokenBuckets(1);
  return (apiKey) => keys.take(apiKey, perKey).isTaken && all.take('', allKeys).isTaken;
}

/**
 * Rejects requests without TLS (specification 5.3). A redirect would not help: the secret has
 * already been sent unencrypted. The log names the key pair to replace.
 */
export function httpsOnly(logger: Logger): RequireHttps {
  const mayLogKey = createKeyLimit();
  return ({ req, requestId, isSecure }) => {
    if (isSecure) return undefined;
    const apiKey = attemptedApiKeyOf(req);
    if (apiKey !== undefined && mayLogKey(apiKey)) {
      logger.warn(
        { request_id: requestId, exposed_api_key: apiKey },
        'credentials came without TLS: replace this key pair',
      );
    }
    return hasCredentials(req) ? rejectionWithCredentials : rejection;
  };
}
