import { Router } from 'express';

import { ServiceError } from '../shared/errors';
import { type EndpointContract, expressPath } from './endpoint';
import { contextOf } from './request-context';

/**
 * Answers 405 with Allow when a path exists, but not with this method. It stands before the operations,
 * and paths without a parameter come first, so that `contributions/create` is not taken for a transaction.
 */
export function allowedMethods(contracts: readonly EndpointContract[]): Router {
  const router = Router({ caseSensitive: true });
  const paths = [...new Set(contracts.map(({ path }) => path))].sort(
    (a, b) => Number(a.includes('{')) - Number(b.includes('{')),
  );
  for (const path of paths) {
    const methods = contracts
      .filter((contract) => contract.path === path)
      .map(({ method }) => method.toUpperCase());
    const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
    router.all(expressPath(path), (req, res, next) => {
      if (allowed.includes(req.method)) {
        next();
        return;
      }
      contextOf(res).route = path;
      throw new ServiceError('method_not_allowed', {
        detail: `This path has the methods ${allowed.join(', ')}.`,
        headers: { Allow: allowed.join(', ') },
      });
    });
  }
  return router;
}
