import type { IncomingMessage } from 'node:http';

import type { EndpointContract } from './endpoint';
import { pathPattern } from './urls';

/**
 * The operation that a request asks for, by its method and path alone; undefined when Express must
 * decide.
 */
export type OperationOf = (req: Pick<IncomingMessage, 'method' | 'url'>) => EndpointContract | undefined;

/**
 * Paths without a parameter come first, so that a fixed path is never taken for a parameter,
 * whatever the method.
 */
export function createOperationOf(contracts: readonly EndpointContract[]): OperationOf {
  const paths = [...new Set(contracts.map(({ path }) => path))]
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((path) => ({
      path,
      pattern: pathPattern(path),
      operations: contracts.filter((contract) => contract.path === path),
    }));
  const exact = new Map(paths.map((entry) => [entry.path, entry]));

  return ({ method = '', url = '' }) => {
    const asked = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const found = exact.get(path) ?? paths.find(({ pattern }) => pattern.test(path));
    return found?.operations.find((operation) => operation.method === asked);
  };
}
