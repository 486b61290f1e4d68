import type { IncomingMessage } from 'node:http';

import type { EndpointContract } from './contract';
import { pathPattern } from './urls';

/** The operations of one path. */
interface PathOperations {
  path: string;
  pattern: RegExp;
  operations: readonly EndpointContract[];
}

const hasParameter = (path: string): number => Number(path.includes('{'));

/** Paths without parameters first, so that a fixed path does not match a parameter. */
export const operationsByPath = (contracts: readonly EndpointContract[]): PathOperations[] =>
  [...new Set(contracts.map(({ path }) => path))]
    .sort((a, b) => hasParameter(a) - hasParameter(b))
    .map((path) => ({
      path,
      pattern: pathPattern(path),
      operations: contracts.filter((contract) => contract.path === path),
    }));

/** Finds the operation of a request by its method and path; undefined if there is none. */
export type FindOperation = (req: Pick<IncomingMessage, 'method' | 'url'>) => EndpointContract | undefined;

export function createFindOperation(contracts: readonly EndpointContract[]): FindOperation {
  const paths = operationsByPath(contracts);
  const exact = new Map(paths.map((entry) => [entry.path, entry]));

  return ({ method = '', url = '' }) => {
    const asked = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const found = exact.get(path) ?? paths.find(({ pattern }) => pattern.test(path));
    return found?.operations.find((operation) => operation.method === asked);
  };
}
