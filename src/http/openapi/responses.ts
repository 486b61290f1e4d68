import type { ErrorCode } from '../../shared/errors';
import type { EndpointContract, ResponseContract } from '../endpoint';
import { errorCatalog } from '../errors/error-catalog';
import { problemMediaType } from '../errors/problem';
import { errorCodesOf } from './error-codes';
import { authenticated, describedHeader, everyResponseHeaders, header } from './headers';
import type { JsonObject } from './json';
import type { Schemas } from './schemas';

/** All responses of an operation, by status. */
export function responsesOf(contract: EndpointContract, schemas: Schemas): JsonObject {
  const successes = Object.entries(contract.responses).map(([status, response]) => [
    status,
    success(response, schemas),
  ]);
  return {
    ...(Object.fromEntries(successes) as JsonObject),
    ...problemResponses(errorCodesOf(contract), { isAuthenticated: true }),
  };
}

function success({ description, headers, body, example }: ResponseContract, schemas: Schemas): JsonObject {
  const described = Object.entries(headers ?? {}).map(([name, text]) => describedHeader(name, text));
  return {
    description,
    headers: Object.assign(
      {},
      everyResponseHeaders(),
      authenticated({ always: true }),
      ...described,
    ) as JsonObject,
    ...(body && {
      content: {
        'application/json': {
          schema: schemas.of(body, 'output'),
          ...(example === undefined ? {} : { example }),
        },
      },
    }),
  };
}

/** One response per status of these codes. */
export function problemResponses(
  codes: readonly ErrorCode[],
  options: { isAuthenticated: boolean },
): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorCatalog[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [String(status), problemResponse(status, ofStatus, options)]),
  );
}

/** The HTTP parser sends these, before authentication. */
const parserStatuses: readonly number[] = [408, 431];

/** The response for one status and its codes. */
export function problemResponse(
  status: number,
  codes: readonly ErrorCode[],
  { isAuthenticated }: { isAuthenticated: boolean },
): JsonObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCatalog[code].title}`).join('\n\n'),
    headers: {
      ...everyResponseHeaders(),
      ...(isAuthenticated && !parserStatuses.includes(status) ? authenticated({ always: false }) : {}),
      ...(status === 401 ? header('WWW-Authenticate') : {}),
      ...(status === 405 ? header('Allow') : {}),
      ...(status === 503 || status === 429 ? header('Retry-After') : {}),
    },
    content: {
      [problemMediaType]: {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object', properties: { code: { type: 'string', enum: codes, 'x-open-enum': true } } },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}
