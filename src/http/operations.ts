import type { IncomingMessage } from 'node:http';

import { classOf, type RatePolicy, ratePolicyOf, type TrafficClass } from '../shared/traffic-classes';
import type { EndpointContract } from './contract';
import type { AnyHandler } from './endpoint';
import { isOptional } from './request/body';
import { uploadBytes } from './request/upload';
import { type CsvForm, csvFormOf } from './response/csv';
import { pathPattern } from './urls';

/** An operation with its handler, and what follows from its contract for each request. */
export interface Operation {
  readonly contract: EndpointContract;
  readonly handler: AnyHandler;
  /** The class of a request whose key pair has the operation's scope. */
  readonly trafficClass: TrafficClass;
  readonly ratePolicy: RatePolicy;
  readonly takesBody: boolean;
  readonly isBodyOptional: boolean;
  /** The operation's own limit of the body. */
  readonly bodyLimitBytes: number | undefined;
  readonly isRead: boolean;
  /** How the client gets the response as CSV. */
  readonly csv: CsvForm | undefined;
}

export const operationOf = (contract: EndpointContract, handler: AnyHandler): Operation => ({
  contract,
  handler,
  trafficClass: classOf(contract),
  ratePolicy: ratePolicyOf(contract),
  takesBody: (contract.body ?? contract.upload) !== undefined,
  isBodyOptional: contract.body !== undefined && isOptional(contract.body),
  bodyLimitBytes: contract.upload && uploadBytes(contract.upload),
  isRead: contract.method === 'get',
  csv:
    contract.method === 'get'
      ? csvFormOf(contract.responses[200]?.body, contract.responses[200]?.csv)
      : undefined,
});

/** A path that has operations. */
interface OperationsPath {
  readonly path: string;
  readonly pattern: RegExp;
  readonly parameters: readonly string[];
  readonly byMethod: ReadonlyMap<string, Operation>;
  /** The value of `Allow`. */
  readonly allowed: string;
}

/** The path that a request names, and the values of its parameters as sent. */
export interface FoundPath {
  readonly path: OperationsPath;
  readonly values: readonly string[];
}

function pathOf(path: string, operations: readonly Operation[]): OperationsPath {
  const byMethod = new Map(operations.map((one) => [one.contract.method.toUpperCase(), one]));
  const get = byMethod.get('GET');
  if (get) byMethod.set('HEAD', get);
  return {
    path,
    pattern: pathPattern(path),
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    byMethod,
    allowed: [...byMethod.keys()].join(', '),
  };
}

/** Finds the path of a request. It has an operation if `byMethod` has the method. */
export type FindPath = (req: Pick<IncomingMessage, 'url'>) => FoundPath | undefined;

export function createFindPath(operations: readonly Operation[]): FindPath {
  const hasParameter = (path: string): number => Number(path.includes('{'));
  // Paths without parameters first, so that a fixed path does not match a parameter.
  const paths = [...new Set(operations.map(({ contract }) => contract.path))]
    .sort((a, b) => hasParameter(a) - hasParameter(b))
    .map((path) =>
      pathOf(
        path,
        operations.filter(({ contract }) => contract.path === path),
      ),
    );
  const fixed = new Map(
    paths
      .filter(({ parameters }) => parameters.length === 0)
      .map((path) => [path.path, { path, values: [] }]),
  );

  return ({ url = '' }) => {
    const query = url.indexOf('?');
    const sent = query < 0 ? url : url.slice(0, query);
    const exact = fixed.get(sent);
    if (exact) return exact;
    for (const path of paths) {
      const match = path.pattern.exec(sent);
      if (match) return { path, values: match.slice(1) };
    }
    return undefined;
  };
}
