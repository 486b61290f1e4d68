import type { RequestHandler } from 'express';

import { ServiceError } from '../../shared/errors';
import type { EndpointContract } from '../contract';
import { operationsByPath } from '../find-operation';
import { contextOf } from '../request/request-context';

/**
 * Rejects an unsupported method of a known path with 405 and `Allow`. Must run before the
 * operations.
 */
export function allowedMethods(contracts: readonly EndpointContract[]): RequestHandler {
  const paths = operationsByPath(contracts).map(({ path, pattern, operations }) => {
    const methods = operations.map(({ method }) => method.toUpperCase());
    return { path, pattern, allowed: methods.includes('GET') ? [...methods, 'HEAD'] : methods };
  });

  return (req, res, next) => {
    const found = paths.find(({ pattern }) => pattern.test(req.path));
    if (!found || found.allowed.includes(req.method)) {
      next();
      return;
    }
    // Throws URIError for an invalid path, as matching an operation would.
    decodeURIComponent(req.path);
    contextOf(res).route = found.path;
    throw new ServiceError('method_not_allowed', {
      detail: `This path supports ${found.allowed.join(', ')}.`,
      headers: { Allow: found.allowed.join(', ') },
    });
  };
}
