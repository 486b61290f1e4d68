import type { BlockList } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { Request, RequestHandler } from 'express';

import { apiKeyForm } from '../shared/api-key';
import { ServiceError } from '../shared/errors';
import type { Logger } from '../shared/logger';
import { isTrusted } from './client-address';
import { contextOf } from './request-context';

/**
 * Whether a request came over TLS: to a proxy from a configured range that says so, or on this very connection. A proxy that
 * says it did not is believed too, even over TLS: it took the request in the clear. From anywhere else X-Forwarded-Proto
 * means nothing.
 */
function cameOverTls(req: Request, trustedProxies: BlockList): boolean {
  const address = req.socket.remoteAddress;
  const forwarded = req.get('X-Forwarded-Proto');
  if (forwarded !== undefined && address !== undefined && isTrusted(address, trustedProxies)) {
    // A chain of proxies appends; the last entry is from the one that talks to us.
    return forwarded.split(',').at(-1)?.trim().toLowerCase() === 'https';
  }
  return req.socket instanceof TLSSocket;
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
    // A key exactly: longer texts could hold a part of a secret.
    if (apiKey !== undefined && apiKeyForm.test(apiKey)) {
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
