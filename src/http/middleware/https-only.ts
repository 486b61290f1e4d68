import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { Rejection } from '../../shared/errors';
import type { Logger } from '../../shared/logger';
import { createTokenBuckets, type Rate } from '../../shared/token-buckets';
import { isTrusted } from '../request/client-address';
import { attemptedApiKeyOf, contextOf } from '../request/request-context';

/** @returns the rejection of a request that arrived without TLS */
export type RequireHttps = (req: IncomingMessage, res: ServerResponse) => Rejection | undefined;

const rejection: Rejection = { code: 'https_required', detail: 'Use https.' };
const rejectionWithCredentials: Rejection = {
  code: 'https_required',
  detail: 'Use https. This request sent the secret unencrypted: have the key pair revoked and replaced.',
};

/** Checks both headers: a client may have sent the secret in place of the key. */
const hasCredentials = ({ headers }: IncomingMessage): boolean =>
  headers['api-key'] !== undefined || headers['api-secret'] !== undefined;

/**
 * Whether the client used TLS. If a trusted proxy sends X-Forwarded-Proto, this header decides,
 * even if the proxy itself connects over TLS. Otherwise only this connection counts.
 */
export function usedTls(req: IncomingMessage, trustedProxies: BlockList): boolean {
  const address = req.socket.remoteAddress;
  const forwarded = [req.headers['x-forwarded-proto'] ?? []].flat().at(-1);
  if (forwarded !== undefined && address !== undefined && isTrusted(address, trustedProxies)) {
    // Each proxy appends an entry. The last one is from the proxy that connects to this service.
    return forwarded.split(',').at(-1)?.trim().toLowerCase() === 'https';
  }
  return req.socket instanceof TLSSocket;
}

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
  return (req, res) => {
    if (contextOf(res).isSecure) return undefined;
    const apiKey = attemptedApiKeyOf(req);
    if (apiKey !== undefined && mayLogKey(apiKey)) {
      logger.warn(
        { request_id: contextOf(res).requestId, exposed_api_key: apiKey },
        'credentials came without TLS: replace this key pair',
      );
    }
    return hasCredentials(req) ? rejectionWithCredentials : rejection;
  };
}
