import type { z } from 'zod';

import type { ErrorCode } from '../../shared/errors';
import type { EndpointContract, ResponseContract } from '../contract';
import type { ErrorCatalog } from '../errors/error-catalog';
import { problemMediaType } from '../errors/problem';
import {
  asCsv,
  completeUntilHeader,
  type CsvForm,
  csvFormOf,
  csvMediaType,
  type ListBody,
  nextCursorHeader,
} from '../response/csv';
import { linesMediaType } from '../response/send-lines';
import { errorCodesOf } from './error-codes';
import { authenticated, describedHeader, everyResponseHeaders, header, withBatchRates } from './headers';
import { type JsonObject, mapValues } from './json';
import type { Schemas } from './schemas';

/** All responses of an operation, by status. */
export function responsesOf(contract: EndpointContract, schemas: Schemas, catalog: ErrorCatalog): JsonObject {
  const { notModified, headers } = conditionalParts(contract);
  const described: EndpointContract['responses'] = { ...notModified, ...contract.responses };
  const successes = Object.entries(described).map(([status, response]) => [
    status,
    success(
      { ...response, headers: { ...headers, ...response.headers } },
      schemas,
      contract.method === 'get' ? csvFormOf(response.body, response.csv) : undefined,
    ),
  ]);
  const responses = {
    ...(Object.fromEntries(successes) as JsonObject),
    ...problemResponses(errorCodesOf(contract, catalog), catalog, { isAuthenticated: true }),
  };
  if (!contract.upload) return responses;
  return mapValues(responses, (response) => {
    const { headers, ...others } = response as JsonObject;
    return { ...others, headers: withBatchRates(headers as JsonObject) };
  });
}

/** What a cacheable operation adds to its responses. */
function conditionalParts({ cachedWithout }: EndpointContract) {
  if (cachedWithout === undefined) return {};
  const isCacheable = `Sent only if the request has no \`${cachedWithout}\`.`;
  return {
    headers: { ETag: `Strong validator for \`If-None-Match\`, one per content encoding. ${isCacheable}` },
    notModified: {
      304: {
        description: `The cached response is still current. ${isCacheable}`,
        headers: { ETag: 'The `ETag` of the cached response.' },
      },
    },
  };
}

function success(
  { description, headers, body, line, csv: stated, example }: ResponseContract,
  schemas: Schemas,
  csv: CsvForm | undefined,
): JsonObject {
  const content = (mediaType: string, schema: z.ZodType | undefined) =>
    schema && {
      [mediaType]: { schema: schemas.of(schema, 'output'), ...(example === undefined ? {} : { example }) },
    };
  const contents = {
    ...content('application/json', body),
    ...content(linesMediaType, line),
    ...(csv && csvContent(csv, example, stated !== undefined)),
  };
  const described = Object.entries({
    ...headers,
    ...(csv && csvHeaderTexts(example as ListBody)),
  }).map(([name, text]) => describedHeader(name, text));
  return {
    description,
    headers: Object.assign(
      {},
      everyResponseHeaders(),
      authenticated({ always: true }),
      ...described,
    ) as JsonObject,
    ...(Object.keys(contents).length > 0 ? { content: contents } : {}),
  };
}

/** A list as CSV, for a client that prefers it to JSON. */
const csvContent = (form: CsvForm, example: unknown, isStated: boolean): JsonObject => ({
  [csvMediaType]: {
    schema: {
      type: 'string',
      description: `${isStated ? 'The rows' : 'The items'}, if \`Accept\` prefers \`text/csv\`: a header row, then ${isStated ? 'the rows' : 'a row for each item'} (RFC 4180, UTF-8). ${isStated ? '' : 'Lists and objects are JSON. '}An apostrophe precedes text that a spreadsheet would read as a formula.`,
    },
    example: asCsv(form, example),
  },
});

const csvHeaderTexts = (example: ListBody): Record<string, string> => ({
  ...('next_cursor' in example
    ? {
        [nextCursorHeader]:
          'Only with CSV: send it as `cursor` to get the next page. Absent on the last page.',
      }
    : {}),
  ...('complete_until' in example
    ? { [completeUntilHeader]: 'Only with CSV: `complete_until` of the list.' }
    : {}),
});

/** One response per status of these codes. */
export function problemResponses(
  codes: readonly ErrorCode[],
  catalog: ErrorCatalog,
  options: { isAuthenticated: boolean },
): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = catalog[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      String(status),
      problemResponse(status, ofStatus, catalog, options),
    ]),
  );
}

/** The HTTP parser sends these, before authentication. */
const parserStatuses: readonly number[] = [408, 431];

/** The response for one status and its codes. */
export function problemResponse(
  status: number,
  codes: readonly ErrorCode[],
  catalog: ErrorCatalog,
  { isAuthenticated }: { isAuthenticated: boolean },
): JsonObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${catalog[code].title}`).join('\n\n'),
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
