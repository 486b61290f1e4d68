import type { z } from 'zod';

import type { ErrorCode } from '../../shared/errors';
import type { EndpointContract, ResponseContract } from '../endpoint';
import { errorCatalog } from '../errors/error-catalog';
import { problemMediaType } from '../errors/problem';
import { linesMediaType } from '../response/send-lines';
import { errorCodesOf } from './error-codes';
import { authenticated, describedHeader, everyResponseHeaders, header, withBatchRates } from './headers';
import { type JsonObject, mapValues } from './json';
import type { Schemas } from './schemas';

/** All responses of an operation, by status. */
export function responsesOf(contract: EndpointContract, schemas: Schemas): JsonObject {
  const successes = Object.entries(contract.responses).map(([status, response]) => [
    status,
    success(response, schemas),
  ]);
  const responses = {
    ...(Object.fromEntries(successes) as JsonObject),
    ...problemResponses(errorCodesOf(contract), { isAuthenticated: true }),
  };
  if (!contract.upload) return responses;
  return mapValues(responses, (response) => {
    const { headers, ...others } = response as JsonObject;
    return { ...others, headers: withBatchRates(headers as JsonObject) };
  });
}

function success(
  { description, headers, body, line, example }: ResponseContract,
  schemas: Schemas,
): JsonObject {
  const content = (mediaType: string, schema: z.ZodType | undefined) =>
    schema && {
      content: {
        [mediaType]: { schema: schemas.of(schema, 'output'), ...(example === undefined ? {} : { example }) },
      },
    };
  const described = Object.entries(headers ?? {}).map(([name, text]) => describedHeader(name, text));
  return {
    description,
    headers: Object.assign(
      {},
      everyResponseHeaders(),
      authenticated({ always: true }),
      ...described,
    ) as JsonObject,
    ...content('application/json', body),
    ...content(linesMediaType, line),
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
