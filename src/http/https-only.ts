import type { BlockList } from 'node:net';
import { isIPv6 } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { Request, RequestHandler } from 'express';

import { ServiceError } from '../shared/errors';
import type { Logger } from '../shared/logger';
import { contextOf } from './request-context';

/**
 * Whether a request came over TLS: on this very connection, or to a proxy from a configured range that says so.
 * From anywhere else X-Forwarded-Proto means nothing.
 */
function cameOverTls(req: Request, trustedProxies: BlockList): boolean {
  if (req.socket instanceof TLSSocket) return true;
  const address = req.socket.remoteAddress;
  if (address === undefined || !trustedProxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
    return false;
  // A chain of proxies appends; the last entry is from the one that talks to us.
  return req.get('X-Forwarded-Proto')?.split(',').at(-1)?.trim().toLowerCase() === 'https';
}

/**
 * Refuses requests without TLS (specification 5.3). It never redirects: the secret has already travelled in the clear,
 * and the log names the pair that must be replaced.
 */
export function httpsOnly(trustedProxies: BlockList, logger: Logger): RequestHandler {
  return (req, res, next) => {
    if (cameOverTls(req, trustedProxies)) {
      next();
      return;
    }
    const apiKey = req.get('API-Key');
    if (apiKey !== undefined && /^cpk_\w{1,64}$/.test(apiKey)) {
      logger.warn(
        { request_id: contextOf(res).requestId, exposed_api_key: apiKey },
        'credentials came without TLS: replace this key pair',
      );
    }
    throw new ServiceError('https_required', {
      detail: 'Use https. The secret of this request has travelled in the clear: have the key pair replaced.',
    });
  };
}
