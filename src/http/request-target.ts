import type { IncomingMessage } from 'node:http';

import type { RequestHandler } from 'express';

import { ServiceError } from '../shared/errors';

/**
 * Makes of a target in absolute form (RFC 9112, 3.2.2) the path and query in it, before anybody else reads it: Express
 * answers an authority that is none by itself, and with a page. The authority means nothing here.
 */
export function takeOriginForm(req: IncomingMessage): void {
  req.url = req.url?.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*\/?/i, '/');
}

/**
 * Refuses a target that different readers take for different paths: no target has a fragment (RFC 9112, 3.2), and some
 * libraries make slashes of backslashes.
 */
export const targetRequired: RequestHandler = (req, _res, next) => {
  if (/^[^?]*\\|#/.test(req.url)) {
    throw new ServiceError('malformed_http', {
      detail:
        'The address has a fragment or, in its path, a backslash. Percent-encode them, or leave them out.',
    });
  }
  next();
};
