import { type DescribedOperation, openApiDocument } from './document';

/** An operation with its method and path. */
export interface DocumentedOperation extends DescribedOperation {
  /** In lower case. */
  method: 'get' | 'put' | 'post';
  path: string;
}

// As in the service, paths without parameters are matched first.
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
    // Parameters are references or inline objects.
    ...operation,
    method: method as DocumentedOperation['method'],
    path,
  })),
);

/** The resource that a request addresses. */
export type Destination =
  | { kind: 'operation'; operation: DocumentedOperation }
  | { kind: 'other method'; path: string }
  | { kind: 'page' }
  | { kind: 'nothing' };

/** Pages and pictures for people. The document describes the API only. */
const pages = /^\/(docs|demo)(\/|$)|^\/(openapi\.json|documentation|favicon\.ico)?$/;

/** @param target path and query as in the request line */
export function destinationOf(method: string, target: string): Destination {
  // The target may be an absolute URL (RFC 9112, 3.2.2).
  const pathname = target.replace(/^https?:\/\/[^/?]*/, '').split('?', 1)[0] ?? '';
  const lookedFor = method === 'HEAD' ? 'get' : method.toLowerCase();
  const found = paths.find(({ pattern }) => pattern.test(pathname));
  if (!found) return { kind: pages.test(pathname) ? 'page' : 'nothing' };
  const operation = documentedOperations.find(
    (candidate) => candidate.path === found.path && candidate.method === lookedFor,
  );
  return operation ? { kind: 'operation', operation } : { kind: 'other method', path: found.path };
}
