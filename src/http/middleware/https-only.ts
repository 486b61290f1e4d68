import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { Rejection } from '../../shared/errors';
import type { Logger } from '../../shared/logger';
import { createTokenBuckets, type Rate } from '../../shared/token-buckets';
import { isTrusted } from '../request/client-address';
import { attemptedApiKeyOf, contextOf } from '../request/request-context';

/** @returns the rejection of a request that did not come over TLS */
export type RequireHttps = (req: IncomingMessage, res: ServerResponse) => Rejection | undefined;

const rejection: Rejection = { code: 'https_required', detail: 'Use https.' };
const rejectionOfCredentials: Rejection = {
  code: 'https_required',
  detail: 'Use https. This request sent the secret unencrypted: have the key pair revoked and replaced.',
};

/** Either header counts: somebody may have put the secret in the place of the key. */
const hasCredentials = ({ headers }: IncomingMessage): boolean =>
  headers['api-key'] !== undefined || headers['api-secret'] !== undefined;

/**
 * Whether a request came over TLS: to a proxy from a configured range that says so, or on this very
 * connection. A proxy that says it did not is believed too, even over TLS: it took the request in
 * the clear. From anywhere else X-Forwarded-Proto means nothing.
 */
function cameOverTls(req: IncomingMessage, trustedProxies: BlockList): boolean {
  const address = req.socket.remoteAddress;
  const forwarded = [req.headers['x-forwarded-proto'] ?? []].flat().at(-1);
  if (forwarded !== undefined && address !== undefined && isTrusted(address, trustedProxies)) {
    // A chain of proxies appends; the last entry is from the one that talks to us.
    return forwarded.split(',').at(-1)?.trim().toLowerCase() === 'https';
  }
  return req.socket instanceof TLSSocket;
}

/**
 * How often the log names one key, and all of them: strangers can make up as many keys as they
 * like.
 */
const perKey: Rate = { perSecond: 20 / 60, burst: 20 };
const allKeys: Rate = { perSecond: 1_000 / 60, burst: 1_000 };

function limitNaming(): (apiKey: string) => boolean {
  const keys = createTokenBuckets(1_000);
  const all = createTokenBuckets(1);
  return (apiKey) => keys.take(apiKey, perKey).isTaken && all.take('', allKeys).isTaken;
}

/**
 * Rejects requests without TLS (specification 5.3). It never redirects: the secret has already
 * traveled in the clear, and the log names the pair that must be replaced.
 */
export function httpsOnly(trustedProxies: BlockList, logger: Logger): RequireHttps {
  const mayName = limitNaming();
  return (req, res) => {
    if (cameOverTls(req, trustedProxies)) return undefined;
    const apiKey = attemptedApiKeyOf(req);
    if (apiKey !== undefined && mayName(apiKey)) {
      logger.warn(
        { request_id: contextOf(res).requestId, exposed_api_key: apiKey },
        'credentials came without TLS: replace this key pair',
      );
    }
    return hasCredentials(req) ? rejectionOfCredentials : rejection;
  };
}
