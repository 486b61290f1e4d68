import { environmentKinds } from '../../shared/scopes';
import type { JsonObject } from './json';

interface HeaderDescription {
  readonly description: string;
  readonly schema: JsonObject;
  readonly example: string | number;
  /** Where an operation's contract names the header: whether each such answer has it. */
  readonly isAlwaysSent?: true;
}

/** Every header that an answer may have, apart from those that HTTP itself and the browser's protection use. */
export const answerHeaders: Readonly<Record<string, HeaderDescription>> = {
  'X-Request-Id': {
    description:
      "The caller's own id if it was well formed, otherwise a new one. Name it when you report something.",
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
    example: '0f6f1f6e-0d0a-4b53-8f0a-0d3e3f5e7a11',
  },
  'Cache-Control': {
    description: '`private, no-cache` on catalogue reads without user_hash, `no-store` on everything else.',
    schema: { type: 'string', enum: ['no-store', 'private, no-cache'] },
    example: 'no-store',
  },
  Environment: {
    description: 'The environment that the key pair selected.',
    schema: { type: 'string', enum: [...environmentKinds] },
    example: 'test',
  },
  Location: {
    description: "The transaction's own address.",
    schema: { type: 'string', format: 'uri' },
    example: 'https://api.example.org/company/integration/contributions/K7Q20CR5M3V9XHG',
    isAlwaysSent: true,
  },
  'Idempotent-Replayed': {
    description: 'Present when this repeats an earlier answer and nothing new was recorded.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Retry-After': {
    description: 'Seconds to wait before the same request is sent again.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'That API-Key, with its API-Secret, is what authenticates here.',
    schema: { type: 'string', const: 'API-Key realm="contribution-service"' },
    example: 'API-Key realm="contribution-service"',
  },
  Allow: {
    description: 'The methods that the path has.',
    schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' },
    example: 'GET, HEAD',
  },
  'RateLimit-Policy': {
    description:
      'The limit that counts here: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers).',
    schema: { type: 'string', pattern: '^"(requests|completions)";q=[0-9]+;w=[0-9]+$' },
    example: '"requests";q=1000;w=10',
  },
  RateLimit: {
    description: 'What is left of the limit: `r` requests; in `t` seconds all of it is there again.',
    schema: { type: 'string', pattern: '^"(requests|completions)";r=[0-9]+;t=[0-9]+$' },
    example: '"requests";r=999;t=1',
  },
  ETag: {
    description: 'Strong; names this very answer, for If-None-Match.',
    schema: { type: 'string', pattern: '^"[!#-~]+"$' },
    example: '"mCoZ3zVO9X9Yb1rNqkq5rA"',
  },
};

/** What each answer says once the credentials are verified. */
const authenticatedHeaders = ['Environment', 'RateLimit-Policy', 'RateLimit'] as const;

const suffixOfOptional = '-after-authentication';

const refer = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` });

/** The headers of every answer. */
export function everyAnswer(): JsonObject {
  return { 'X-Request-Id': refer('X-Request-Id'), 'Cache-Control': refer('Cache-Control') };
}

/** The headers of an answer whose credentials were verified, or may have been. */
export function authenticated({ always }: { always: boolean }): JsonObject {
  const suffix = always ? '' : suffixOfOptional;
  return Object.fromEntries(authenticatedHeaders.map((name) => [name, refer(name + suffix)]));
}

/** One header by reference. */
export function header(name: keyof typeof answerHeaders): JsonObject {
  return { [name]: refer(name) };
}

/** A header that an operation's contract describes in words of its own. */
export function describedHeader(name: string, description: string): JsonObject {
  const known = answerHeaders[name];
  if (!known) throw new Error(`the header ${name} is not described in http/openapi/headers`);
  const { schema, example, isAlwaysSent } = known;
  return { [name]: { description, required: isAlwaysSent ?? false, schema, example } };
}

/** All of them, to be referred to. */
export function headerComponents(): JsonObject {
  const component = ({ description, schema, example }: HeaderDescription, required: boolean): JsonObject => ({
    description: required ? description : `${description} Sent once the credentials are verified.`,
    required,
    schema,
    example,
  });
  return Object.fromEntries(
    Object.entries(answerHeaders).flatMap(([name, described]) => [
      [name, component(described, true)],
      [name + suffixOfOptional, component(described, false)],
    ]),
  );
}
