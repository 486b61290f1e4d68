import type { RequestHandler } from 'express';

import { ServiceError } from '../../shared/errors';
import { contextOf } from '../request/request-context';

/** Rejects an unsupported method of a known path with 405 and `Allow`. */
export const allowedMethods: RequestHandler = (req, res, next) => {
  const context = contextOf(res);
  if (!context.found) {
    next();
    return;
  }
  // Throws URIError for an invalid path, as reading its parameters would.
  decodeURIComponent(req.path);
  const { path, allowed } = context.found.path;
  context.route = path;
  throw new ServiceError('method_not_allowed', {
    detail: `This path supports ${allowed}.`,
    headers: { Allow: allowed },
  });
};
