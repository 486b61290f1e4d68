import type { IncomingMessage } from 'node:http';

import type { EndpointContract } from './contract';
import { fixedPathsFirst, pathPattern } from './urls';

/** Finds the operation of a request by its method and path; undefined if there is none. */
export type FindOperation = (req: Pick<IncomingMessage, 'method' | 'url'>) => EndpointContract | undefined;

/** Matches paths without parameters first, so that a fixed path does not match a parameter. */
export function createFindOperation(contracts: readonly EndpointContract[]): FindOperation {
  const paths = [...new Set(contracts.toSorted(fixedPathsFirst).map(({ path }) => path))].map((path) => ({
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
