import { parse as parseCsv } from 'csv-parse/sync';

import type { JsonObject } from '../../../src/http/openapi/json';
import type { ErrorCode } from '../../../src/shared/errors';
import { type DescribedResponse, openApiDocument } from './document';
import { type ResponseHeaders, headerViolations } from './headers';
import { destinationOf, documentedOperations } from './operations';
import { schemaViolations } from './schema-validator';
import { errorCatalog } from '../errors';

export interface ReceivedRequest {
  method: string;
  /** Path and query, as in the request line. */
  target: string;
}

export interface ReceivedResponse {
  status: number;
  headers: ResponseHeaders;
  /** After decompression; empty if there is none. */
  body: string;
}

/**
 * Describes how a response differs from the OpenAPI document; empty if it matches.
 *
 * @param request undefined for bytes that are not a request
 */
export function responseViolations(
  request: ReceivedRequest | undefined,
  response: ReceivedResponse,
): string[] {
  if (isBadGateway(response)) return [];
  const described = describedResponse(request, response);
  const violations =
    described === 'a page'
      ? []
      : described === undefined
        ? ['this status is not documented; npm run generate writes docs/openapi.json']
        : [
            ...headerViolations(described, response.headers),
            ...bodyViolations(described, response, request?.method === 'HEAD'),
          ];
  const where = request ? `${request.method} ${request.target.split('?', 1)[0] ?? ''}` : 'no request';
  // The first few are enough.
  return violations
    .slice(0, 5)
    .map((what) => `${where} → ${response.status}: ${what}: ${response.body.slice(0, 200)}`);
}

/** Codes that may occur on any operation; the document describes them in its text. */
const anywhere: readonly string[] = [
  'malformed_http',
  'https_required',
  'request_timeout',
  'headers_too_large',
];

function describedResponse(
  request: ReceivedRequest | undefined,
  response: ReceivedResponse,
): DescribedResponse | 'a page' | undefined {
  const destination = request ? destinationOf(request.method, request.target) : undefined;
  if (destination?.kind === 'operation') return destination.operation.responses[response.status];
  const { PathNotFound, MethodNotAllowed } = openApiDocument.components.responses;
  if (destination?.kind === 'page' && !isProblem(response)) return 'a page';
  if (destination?.kind === 'nothing' && (isPageNotFound(response) || redirectsToDocumentation(response)))
    return 'a page';
  if (response.status === 404 && destination?.kind !== 'other method') return PathNotFound;
  if (response.status === 405 && destination?.kind === 'other method') return MethodNotAllowed;
  // A response to HEAD has no body.
  const mayBeAnywhere = request?.method === 'HEAD' || anywhere.includes(codeOf(response));
  return mayBeAnywhere
    ? documentedOperations.find(({ 'x-scope': scope }) => scope)?.responses[response.status]
    : undefined;
}

/** The page of a proxy that a fault of the sandbox imitates. It is not a response of the API. */
function isBadGateway({ status, headers, body }: ReceivedResponse): boolean {
  return (
    status === 502 &&
    headers['content-type'] === 'text/html' &&
    (body === '' || body.includes('<h1>502 Bad Gateway</h1>'))
  );
}

/** The page that a browser gets for an unknown path. */
function isPageNotFound({ status, headers, body }: ReceivedResponse): boolean {
  return (
    status === 404 &&
    headers['content-type']?.startsWith('text/html') === true &&
    body.includes('<h1>Page not found</h1>')
  );
}

/** A redirect from a guessed address to the documentation, and to nothing else. */
function redirectsToDocumentation({ status, headers }: ReceivedResponse): boolean {
  return status === 302 && /^(\.\.\/)*(docs(\/[a-z-]+){0,2}|openapi\.json)$/.test(headers['location'] ?? '');
}

function isProblem({ headers }: ReceivedResponse): boolean {
  return headers['content-type'] === 'application/problem+json';
}

function codeOf({ body }: ReceivedResponse): string {
  const problem = parse(body);
  return typeof problem === 'object' && problem !== null && 'code' in problem ? String(problem.code) : '';
}

/** undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function bodyViolations(described: DescribedResponse, response: ReceivedResponse, isHead: boolean): string[] {
  const { content } = described;
  if (!content) return response.body === '' ? [] : ['there is no body in the document'];
  const type = response.headers['content-type']?.replace(/; charset=utf-8$/, '') ?? 'none';
  const media = content[type];
  if (!media) return [`the Content-Type ${type} is not documented`];
  if (isHead) return response.body === '' ? [] : ['a response to HEAD has a body'];
  if (type === 'application/x-ndjson') return lineViolations(media.schema, response.body);
  if (type === 'text/csv') return csvViolations(String(media.example), response.body);
  const value = parse(response.body);
  if (value === undefined) return ['the body is no JSON'];
  return [
    ...schemaViolations(media.schema, value).map((what) => `the body: ${what}`),
    ...(isProblem(response) ? problemViolations(value as JsonObject, response) : []),
  ];
}

/** The header row is that of the example, and every row has as many cells. */
function csvViolations(example: string, body: string): string[] {
  try {
    const [documented]: string[][] = parseCsv(example);
    const [header]: string[][] = parseCsv(body);
    return JSON.stringify(header) === JSON.stringify(documented) ? [] : ['the header row is another'];
  } catch (error) {
    return [`the body is no CSV: ${String(error)}`];
  }
}

/** Every line of a file has the schema. */
function lineViolations(schema: JsonObject, body: string): string[] {
  const lines = body.split('\n').slice(0, -1);
  return lines.flatMap((line) => schemaViolations(schema, parse(line)).map((what) => `a line: ${what}`));
}

/**
 * Checks what a schema cannot: that a problem document agrees with its status, its headers and the
 * error catalog.
 */
function problemViolations(problem: JsonObject, { status, headers }: ReceivedResponse): string[] {
  const code = String(problem['code']);
  const entry = code in errorCatalog ? errorCatalog[code as ErrorCode] : undefined;
  const agreements: [string, boolean][] = [
    ['code', entry !== undefined],
    ['status', problem['status'] === status && entry?.status === status],
    ['title', problem['title'] === entry?.title],
    ['retryable', problem['retryable'] === entry?.retryable],
    ['type', String(problem['type']).endsWith(`/docs/errors#${code}`)],
    ['request_id', problem['request_id'] === headers['x-request-id']],
  ];
  return agreements.filter(([, agrees]) => !agrees).map(([name]) => `the problem's ${name} is another`);
}
