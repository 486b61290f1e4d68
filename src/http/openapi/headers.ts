import { environmentKinds } from '../../shared/scopes';
import type { JsonObject } from './json';

interface HeaderDescription {
  readonly description: string;
  readonly schema: JsonObject;
  readonly example: string | number;
  /** Whether every response has this header, for operations whose contract names it. */
  readonly isAlwaysSent?: true;
}

/** Every response header, except the headers of HTTP itself and those that protect browsers. */
export const responseHeaders: Readonly<Record<string, HeaderDescription>> = {
  'X-Request-Id': {
    description:
      'Your own id if it was well formed, otherwise a generated one. Quote it when you report a problem.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    example: '0f6f1f6e-0d0a-4b53-8f0a-0d3e3f5e7a11',
  },
  'Cache-Control': {
    description: '`private, no-cache` on cacheable reads, otherwise `no-store`.',
    schema: { type: 'string', enum: ['no-store', 'private, no-cache'] },
    example: 'no-store',
  },
  Environment: {
    description: 'The environment of the key pair.',
    schema: { type: 'string', enum: [...environmentKinds] },
    example: 'test',
  },
  Location: {
    description: 'URL of the contribution.',
    schema: { type: 'string', format: 'uri' },
    example: 'https://api.example.org/company/integration/contributions/K7Q20CR5M3V9XHG',
    isAlwaysSent: true,
  },
  'Idempotent-Replayed': {
    description: 'Present if this repeats an earlier response and nothing new was recorded.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Next-Cursor': {
    description: 'Only with CSV: the cursor of the next page.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
    example: 'WyIwMTlhYTFiMiJd',
  },
  'Complete-Until': {
    description: 'Only with CSV: every contribution with an earlier time is in the list.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-11-20T10:00:00.000Z',
  },
  'Retry-After': {
    description: 'Seconds to wait before you retry.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme: `API-Key` with `API-Secret`.',
    schema: { type: 'string', const: 'API-Key realm="contribution-service"' },
    example: 'API-Key realm="contribution-service"',
  },
  Allow: {
    description: 'The methods that the path supports.',
    schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' },
    example: 'GET, HEAD',
  },
  'RateLimit-Policy': {
    description:
      'The rate limit for this request: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers).',
    schema: { type: 'string', pattern: '^"(requests|completions)";q=[0-9]+;w=[0-9]+$' },
    example: '"requests";q=1000;w=10',
  },
  RateLimit: {
    description: 'The remaining quota: `r` requests. The full quota is available again in `t` seconds.',
    schema: { type: 'string', pattern: '^"(requests|completions)";r=[0-9]+;t=[0-9]+$' },
    example: '"requests";r=999;t=1',
  },
  ETag: {
    description: 'Strong validator of this response, for `If-None-Match`.',
    schema: { type: 'string', pattern: '^"[!#-~]+"$' },
    example: '"mCoZ3zVO9X9Yb1rNqkq5rA"',
  },
};

/** Headers of every response after authentication. */
const authenticatedHeaders = ['Environment', 'RateLimit-Policy', 'RateLimit'] as const;

const suffixOfOptional = '-after-authentication';

const refer = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` });

/** Headers of every response. */
export function everyResponseHeaders(): JsonObject {
  return { 'X-Request-Id': refer('X-Request-Id'), 'Cache-Control': refer('Cache-Control') };
}

/** Headers that are sent after authentication. */
export function authenticated({ always }: { always: boolean }): JsonObject {
  const suffix = always ? '' : suffixOfOptional;
  return Object.fromEntries(authenticatedHeaders.map((name) => [name, refer(name + suffix)]));
}

const batchExamples: Readonly<Record<string, string>> = {
  'RateLimit-Policy': '"batches";q=10;w=10',
  RateLimit: '"batches";r=9;t=1',
};

/**
 * Replaces the rate limit headers of a response, because files have a separate policy. The shared
 * headers keep their pattern without this policy, because clients may check values against it.
 */
export function withBatchRates(headers: JsonObject): JsonObject {
  const ofFiles = Object.entries(batchExamples).flatMap(([name, example]) => {
    const known = responseHeaders[name];
    if (!known || !(name in headers)) return [];
    const pattern = String(known.schema['pattern']).replace('(requests|completions)', 'batches');
    return [[name, { description: known.description, schema: { type: 'string', pattern }, example }]];
  });
  return { ...headers, ...(Object.fromEntries(ofFiles) as JsonObject) };
}

/** One header by reference. */
export function header(name: keyof typeof responseHeaders): JsonObject {
  return { [name]: refer(name) };
}

/** A header with a description from the operation's contract. */
export function describedHeader(name: string, description: string): JsonObject {
  const known = responseHeaders[name];
  if (!known) throw new Error(`the header ${name} is not described in http/openapi/headers`);
  const { schema, example, isAlwaysSent } = known;
  return { [name]: { description, required: isAlwaysSent ?? false, schema, example } };
}

/** All headers as components. */
export function headerComponents(): JsonObject {
  const component = ({ description, schema, example }: HeaderDescription, required: boolean): JsonObject => ({
    description: required
      ? description
      : `${description} Errors that occur before authentication lack this header.`,
    required,
    schema,
    example,
  });
  return Object.fromEntries(
    Object.entries(responseHeaders).flatMap(([name, described]) => [
      [name, component(described, true)],
      [name + suffixOfOptional, component(described, false)],
    ]),
  );
}
