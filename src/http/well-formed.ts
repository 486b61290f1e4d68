import type { RequestHandler } from 'express';

import { ServiceError } from '../shared/errors';
import { headerValues } from './header-values';

/**
 * Refuses what different readers take for different things:
 *
 *  - HTTP/1.1 (and what has no version) without Host, which Node would refuse by itself and without a problem document, and more than
 *    one Host, of which Node would take the first and a proxy perhaps the last (RFC 9112, 3.2);
 *  - a target with a fragment, which no target has (RFC 9112, 3.2), or with a backslash in its path, of which some libraries make
 *    a slash.
 */
export const wellFormed: RequestHandler = (req, _res, next) => {
  const hosts = headerValues(req, 'host').length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) {
    throw new ServiceError('malformed_http', { detail: 'Send one Host header, as HTTP/1.1 demands.' });
  }
  if (/^[^?]*\\|#/.test(req.url)) {
    throw new ServiceError('malformed_http', {
      detail:
        'The address has a fragment or, in its path, a backslash. Percent-encode them, or leave them out.',
    });
  }
  next();
};
