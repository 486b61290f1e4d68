import type { JsonObject } from '../../../../src/http/openapi/json';
import type { ErrorCode } from '../../../../src/shared/errors';
import { schemaViolations } from '../../../support/openapi/schema-validator';
import type { OpenApiDocument, Operation } from '../operations';
import type { ReceivedResponse } from './responses';
import { errorCatalog } from '../../../support/errors';

/** Checks responses against the published document. */
export interface Documented {
  /** How a response differs from its operation's entry in the document; empty if it matches. */
  checkResponse(operation: Operation, response: ReceivedResponse, isHead: boolean): string[];
  /**
   * The same for a response without an operation: it must be a problem document with one of these
   * codes.
   */
  checkProblem(response: ReceivedResponse, isHead: boolean, codes?: readonly ErrorCode[]): string[];
}

const problemType = 'application/problem+json';
const mediaTypeOf = (response: ReceivedResponse): string =>
  (response.headers.get('content-type')?.[0] ?? '').replace(/;.*$/, '').trim();

function parse(body: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown };
  } catch {
    return undefined;
  }
}

/** The code of a problem document; undefined for anything else. */
export function codeOf(response: ReceivedResponse): string | undefined {
  if (mediaTypeOf(response) !== problemType) return undefined;
  const { code } = (parse(response.body)?.value ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

export function createDocumented(document: OpenApiDocument): Documented {
  function checkBody(schema: object, response: ReceivedResponse): string[] {
    if (mediaTypeOf(response) === 'application/x-ndjson') {
      const lines = response.body.toString().trimEnd().split('\n');
      return lines.flatMap((line) => checkJson(schema, Buffer.from(line)));
    }
    return checkJson(schema, response.body);
  }

  function checkJson(schema: object, body: Buffer): string[] {
    const parsed = parse(body);
    if (!parsed) return ['its body is not JSON in UTF-8'];
    return schemaViolations(schema as JsonObject, parsed.value).map(
      (what) => `its body is not as documented: ${what}`,
    );
  }

  /** Requirements that all problem documents share. */
  function checkSelf(response: ReceivedResponse): string[] {
    const { value } = parse(response.body) ?? {};
    const { code, status, request_id: requestId } = (value ?? {}) as Record<string, unknown>;
    const flaws: string[] = [];
    if (status !== response.status) flaws.push('status in the body is another one');
    if (errorCatalog[code as ErrorCode].status !== response.status) flaws.push('the code has another status');
    if (requestId !== response.headers.get('x-request-id')?.[0]) flaws.push('request_id is not X-Request-Id');
    if (response.headers.get('cache-control')?.[0] !== 'no-store') flaws.push('an error may be cached');
    return flaws;
  }

  function checkHeaders(operation: Operation, response: ReceivedResponse): string[] {
    const described = Object.entries(operation.responses[response.status]?.headers ?? {});
    const flaws = [...response.headers.entries()]
      .filter(([name, values]) => values.length > 1 && name !== 'set-cookie' && name !== 'vary')
      .map(([name]) => `${name} occurs twice`);
    if (response.headers.get('x-content-type-options')?.[0] !== 'nosniff') flaws.push('nosniff is missing');
    if (!response.headers.has('x-request-id')) flaws.push('X-Request-Id is missing');
    for (const [name, header] of described) {
      if (header.required === true && !response.headers.has(name.toLowerCase()))
        flaws.push(`${name} is missing`);
    }
    return flaws;
  }

  function checkProblem(response: ReceivedResponse, isHead: boolean, codes?: readonly ErrorCode[]): string[] {
    if (mediaTypeOf(response) !== problemType) return [`${response.status} is no problem document`];
    if (isHead) return [];
    const flaws = checkBody(document.components['schemas']!['Problem']!, response);
    if (flaws.length > 0) return flaws;
    const code = codeOf(response) as ErrorCode;
    if (codes && !codes.includes(code)) flaws.push(`${code} is not for this request`);
    return [...flaws, ...checkSelf(response)];
  }

  return {
    checkProblem,
    checkResponse(operation, response, isHead) {
      const promised = operation.responses[response.status];
      if (!promised) return [`${response.status} is not documented for ${operation.operationId}`];
      const flaws = checkHeaders(operation, response);
      const mediaType = mediaTypeOf(response);
      const mediaTypes = Object.keys(promised.content ?? {});
      if (mediaTypes.length === 0) return response.body.length === 0 ? flaws : [...flaws, 'it has a body'];
      if (!mediaTypes.includes(mediaType)) return [...flaws, `its Content-Type is "${mediaType}"`];
      if (isHead) return flaws;
      flaws.push(...checkBody(promised.content![mediaType]!.schema, response));
      return mediaType === problemType && flaws.length === 0 ? checkSelf(response) : flaws;
    },
  };
}
