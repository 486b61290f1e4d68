import { z } from 'zod';

import { type ErrorCode, errorCodes } from '../shared/errors';
import type { BodyMedia } from './body';
import type { EndpointContract, ResponseContract } from './endpoint';
import { errorCatalog } from './error-catalog';
import { problemMediaType } from './problem';

type JsonObject = Record<string, unknown>;

/** The codes that any operation can answer. */
export const commonErrors: readonly ErrorCode[] = [
  'invalid_request',
  'malformed_http',
  'credentials_malformed',
  'credentials_invalid',
  'https_required',
  'scope_missing',
  'environment_not_served',
  'request_timeout',
  'rate_limited',
  'authentication_throttled',
  'headers_too_large',
  'internal_error',
  'database_unavailable',
  'database_timeout',
  'overloaded',
];

const mediaTypes: Record<BodyMedia, string> = { json: 'application/json', multipart: 'multipart/form-data' };

const problemSchema = {
  type: 'object',
  description: 'RFC 9457 problem details',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id', 'retryable'],
  additionalProperties: false,
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'Link to the entry of this code in the error catalogue',
    },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What happened and what to do' },
    code: { type: 'string', enum: [...errorCodes] },
    request_id: { type: 'string' },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later' },
    errors: {
      type: 'array',
      description: 'Everything that is wrong with the request',
      items: {
        type: 'object',
        required: ['code', 'detail'],
        additionalProperties: false,
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer (RFC 6901) into the body' },
          parameter: { type: 'string', description: 'Name of a path or query parameter' },
          header: { type: 'string', description: 'Name of a header' },
          code: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
  },
} as const;

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const described: JsonObject = { ...z.toJSONSchema(schema, { io, unrepresentable: 'any' }) };
  delete described['$schema'];
  return described;
}

/** Required unless leaving it out is accepted: what the schema says to `undefined`. */
function isRequired(schema: z.ZodType): boolean {
  return !schema.safeParse(undefined).success;
}

function shapeOf(schema: z.ZodType): [string, z.ZodType][] {
  if (!(schema instanceof z.ZodObject)) throw new Error('parameters and bodies are described by an object');
  const shape: Record<string, z.ZodType> = schema.shape;
  return Object.entries(shape);
}

function parameters(place: 'path' | 'query' | 'header', schema: z.ZodType | undefined): JsonObject[] {
  if (!schema) return [];
  return shapeOf(schema).map(([name, field]) => {
    const { description, examples, ...rest } = jsonSchema(field, 'input');
    const example = Array.isArray(examples) ? (examples[0] as unknown) : undefined;
    return {
      name: place === 'header' ? name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase()) : name,
      in: place,
      required: place === 'path' || isRequired(field),
      ...(description === undefined ? {} : { description }),
      schema: rest,
      ...(example === undefined ? {} : { example }),
    };
  });
}

function requestBody(body: NonNullable<EndpointContract['body']>): JsonObject {
  const fields = shapeOf(body.schema);
  const schema = {
    type: 'object',
    required: fields.filter(([, field]) => isRequired(field)).map(([name]) => name),
    properties: Object.fromEntries(fields.map(([name, field]) => [name, jsonSchema(field, 'input')])),
  };
  const content = { schema, ...(body.example === undefined ? {} : { example: body.example }) };
  return {
    required: true,
    content: Object.fromEntries(body.accepts.map((media) => [mediaTypes[media], content])),
  };
}

const requestIdHeader = { $ref: '#/components/headers/RequestId' };

function success({ description, headers, body, example }: ResponseContract): JsonObject {
  const described = Object.entries(headers ?? {}).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' } },
  ]);
  return {
    description,
    headers: {
      'X-Request-Id': requestIdHeader,
      Environment: { $ref: '#/components/headers/Environment' },
      ...(Object.fromEntries(described) as JsonObject),
    },
    ...(body && {
      content: {
        'application/json': {
          schema: jsonSchema(body, 'output'),
          ...(example === undefined ? {} : { example }),
        },
      },
    }),
  };
}

/** The codes that an operation can answer: its own and those of every operation. */
export function errorCodesOf(contract: EndpointContract): ErrorCode[] {
  return errorCodes.filter((code) => commonErrors.includes(code) || contract.errors.includes(code));
}

function failures(contract: EndpointContract): Record<string, JsonObject> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(contract)) {
    const { status } = errorCatalog[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${errorCatalog[code].title}`).join('\n\n'),
        headers: {
          'X-Request-Id': requestIdHeader,
          ...(status === 503 || status === 429
            ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
            : {}),
        },
        content: {
          [problemMediaType]: {
            schema: {
              allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }],
            },
          },
        },
      },
    ]),
  );
}

function operation(contract: EndpointContract): JsonObject {
  return {
    operationId: contract.operationId,
    summary: contract.summary,
    description: `${contract.description}\n\nOrigin: ${contract.origin}. Scope: \`${contract.scope}\`.`,
    tags: [contract.origin === 'addition' ? 'Additions' : 'Specification'],
    parameters: [
      ...parameters('path', contract.params),
      ...parameters('query', contract.query),
      ...parameters('header', contract.headers),
    ],
    ...(contract.body && { requestBody: requestBody(contract.body) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(contract.responses).map(([status, response]) => [status, success(response)]),
      ),
      ...failures(contract),
    },
  };
}

/** The OpenAPI 3.1 document of these operations. */
export function createOpenApiDocument(contracts: readonly EndpointContract[], version: string): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const contract of contracts) (paths[contract.path] ??= {})[contract.method] = operation(contract);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Contribution and Project Integration Service',
      version,
      description:
        'Through this API partner companies show donation projects and stories to their users and record contributions, and a partner bank marks a contribution completed after it has moved the money.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The address from which this document came' }],
    tags: [
      { name: 'Specification', description: 'Operations of the interface specification' },
      { name: 'Additions', description: 'Operations that this service adds' },
    ],
    security: [{ ApiKey: [], ApiSecret: [] }],
    paths,
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'API-Key',
          description: 'The public half of the key pair',
        },
        ApiSecret: {
          type: 'apiKey',
          in: 'header',
          name: 'API-Secret',
          description: 'The secret half of the key pair',
        },
      },
      headers: {
        RequestId: {
          description: "The caller's own id if it was well formed, otherwise a new one",
          schema: { type: 'string' },
        },
        Environment: {
          description: 'The environment that the key pair selected',
          schema: { type: 'string', enum: ['production', 'test'] },
        },
        RetryAfter: { description: 'Seconds to wait before the next attempt', schema: { type: 'integer' } },
      },
      schemas: { Problem: problemSchema },
    },
  };
}
