import type { IncomingMessage } from 'node:http';

import type { EndpointContract } from './endpoint';
import { pathPattern } from './urls';

/** Whether a request creates or completes a contribution, by its method and path: as soon as it is there, before it is authenticated. */
export function createMovesMoney(
  contracts: readonly EndpointContract[],
): (req: Pick<IncomingMessage, 'method' | 'url'>) => boolean {
  const operations = contracts
    .filter(({ scope }) => scope === 'contributions:create' || scope === 'contributions:complete')
    .map(({ method, path }) => ({ method: method.toUpperCase(), pattern: pathPattern(path) }));
  return ({ method, url = '' }) => {
    if (method === 'GET') return false;
    const [path = ''] = url.split('?', 1);
    return operations.some((operation) => operation.method === method && operation.pattern.test(path));
  };
}
