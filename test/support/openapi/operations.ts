import { type DescribedOperation, openApiDocument } from './document';

/** An operation with its place. */
export interface DocumentedOperation extends DescribedOperation {
  /** In lower case. */
  method: 'get' | 'put' | 'post';
  path: string;
}

// As in the service, a path without parameters goes before one with.
const paths = Object.entries(openApiDocument.paths)
  .sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
  .map(([path, methods]) => ({
    path,
    methods,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`),
  }));

/** Every operation of the document. */
export const documentedOperations: readonly DocumentedOperation[] = paths.flatMap(({ path, methods }) =>
  Object.entries(methods).map(([method, operation]) => ({
    // Parameters are referred to, or stand there.
    ...operation,
    method: method as DocumentedOperation['method'],
    path,
  })),
);

/** What a request is for. */
export type Destination =
  | { kind: 'operation'; operation: DocumentedOperation }
  | { kind: 'other method'; path: string }
  | { kind: 'page' }
  | { kind: 'nothing' };

/** Pages and pictures for people: the document is about the API. */
const pages = /^\/(docs|demo)(\/|$)|^\/(openapi\.json|documentation)?$/;

/** @param target path and query as in the request line */
export function destinationOf(method: string, target: string): Destination {
  // A proxy is sent a whole address (RFC 9112, 3.2.2), and so may a server be.
  const pathname = target.replace(/^https?:\/\/[^/?]*/, '').split('?', 1)[0] ?? '';
  const lookedFor = method === 'HEAD' ? 'get' : method.toLowerCase();
  const found = paths.find(({ pattern }) => pattern.test(pathname));
  if (!found) return { kind: pages.test(pathname) ? 'page' : 'nothing' };
  const operation = documentedOperations.find(
    (candidate) => candidate.path === found.path && candidate.method === lookedFor,
  );
  return operation ? { kind: 'operation', operation } : { kind: 'other method', path: found.path };
}
