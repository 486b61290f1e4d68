import type { z } from 'zod';

import type { EndpointContract } from '../contract';
import { faultHeader, faultKinds, takesFaults } from '../faults/fault-kinds';
import type { JsonObject } from './json';
import { isRequired, type Schemas, shapeOf } from './schemas';

/** The parameters of an operation's contract, and the request id that every request may carry. */
export function parametersOf(contract: EndpointContract, schemas: Schemas): JsonObject[] {
  return [
    ...parameters('path', contract.params, schemas),
    ...parameters('query', contract.query, schemas),
    ...parameters('header', contract.headers, schemas),
    ...(contract.cachedWithout === undefined ? [] : [ifNoneMatchParameter]),
    requestIdParameter,
    ...(takesFaults(contract) ? [faultParameter] : []),
  ];
}

/** A reference to the request id, which every request may carry. */
export const requestIdParameter: JsonObject = { $ref: '#/components/parameters/X-Request-Id' };

const ifNoneMatchParameter: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of a cached response. If it is still current, the response is 304 without a body',
  schema: { type: 'string' },
  example: '"mCoZ3zVO9X9Yb1rNqkq5rA"',
};

const faultParameter: JsonObject = { $ref: `#/components/parameters/${faultHeader}` };

export const parameterComponents: JsonObject = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      "Your own id for this request: 1 to 128 letters, digits, dots, underscores or hyphens. The response and the service's log contain it. If it is malformed, the service generates an id instead.",
    schema: { type: 'string' },
    example: '0f6f1f6e-0d0a-4b53-8f0a-0d3e3f5e7a11',
  },
  [faultHeader]: {
    name: faultHeader,
    in: 'header',
    required: false,
    description:
      'Makes this request fail, to test your client. Test environment only, with the scope `sandbox`. A production pair gets 400.',
    schema: { type: 'string', enum: [...faultKinds] },
    example: faultKinds[0],
  },
};

function parameters(
  place: 'path' | 'query' | 'header',
  schema: z.ZodType | undefined,
  schemas: Schemas,
): JsonObject[] {
  if (!schema) return [];
  return shapeOf(schema).map(([name, field]) => {
    const { description, examples, ...rest } = schemas.of(field, 'input');
    const example = Array.isArray(examples) ? (examples[0] as unknown) : undefined;
    return {
      name: place === 'header' ? headerName(name) : name,
      in: place,
      required: place === 'path' || isRequired(field),
      ...(description === undefined ? {} : { description }),
      schema: rest,
      ...(example === undefined ? {} : { example }),
    };
  });
}

/** idempotency-key → Idempotency-Key */
function headerName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase());
}
