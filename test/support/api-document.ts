import { readFileSync } from 'node:fs';
import path from 'node:path';

import { root } from './program';

interface Content {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface DocumentedOperation {
  operationId: string;
  responses: Record<string, { content?: Record<string, Content> }>;
}

/** An operation of `docs/openapi.json`. */
export interface ApiOperation extends DocumentedOperation {
  method: string;
  path: string;
}

/** All operations, in the order of the document. */
export function operationsOf(): ApiOperation[] {
  const text = readFileSync(path.join(root, 'docs', 'openapi.json'), 'utf8');
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, DocumentedOperation>> };
  return Object.entries(paths).flatMap(([pattern, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path: pattern,
    })),
  );
}

/** The operation of a request. A path without parameters wins. */
export function operationOf(method: string, url: string): ApiOperation | undefined {
  const { pathname } = new URL(url, 'http://localhost');
  const matching = operationsOf().filter(
    ({ method: expected, path: pattern }) =>
      method === expected && new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  return matching.find(({ path: pattern }) => pattern === pathname) ?? matching[0];
}

/** The documented example of a response. An example of a page becomes the last page of its list. */
export function exampleResponseOf(method: string, url: string) {
  const operation = operationOf(method, url);
  const successes = Object.entries(operation?.responses ?? {}).filter(([code]) => code.startsWith('2'));
  // A create documents its preview and its replay with 200. The 201 is the one that creates.
  const [status = '404', response] = successes.find(([code]) => code === '201') ?? successes[0] ?? [];
  const [type = 'application/json', content] = Object.entries(response?.content ?? {})[0] ?? [];
  const example = content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
  const isPage = typeof example === 'object' && example !== null && 'has_more' in example;
  const body = isPage
    ? { ...example, has_more: false, ...('next_cursor' in example && { next_cursor: null }) }
    : example;
  const text = body === undefined ? '' : JSON.stringify(body);
  // A file of outcomes ends with a summary.
  const lines = `${text}\n${JSON.stringify({ summary: {} })}\n`;
  return {
    operationId: operation?.operationId,
    status: Number(status),
    type,
    text: type === 'application/x-ndjson' ? lines : text,
  };
}
