import { readFileSync } from 'node:fs';
import path from 'node:path';

import { isJsonObject, type JsonObject } from '../../../src/http/openapi/json';

/** A response in the document. */
export interface DescribedResponse {
  headers?: Record<string, JsonObject>;
  content?: Record<string, { schema: JsonObject; example?: unknown; examples?: JsonObject }>;
}

export interface DescribedParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  example?: string | number;
  schema: { enum?: string[] };
}

/** An operation in the document. */
export interface DescribedOperation {
  operationId: string;
  'x-scope'?: string;
  parameters: DescribedParameter[];
  requestBody?: { content: Record<string, { schema: JsonObject; example?: unknown }> };
  responses: Record<string, DescribedResponse>;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: {
    schemas: Record<string, JsonObject>;
    headers: Record<string, JsonObject>;
    examples: Record<string, JsonObject>;
    responses: Record<'PathNotFound' | 'MethodNotAllowed', DescribedResponse>;
  };
}

/** The committed document. `npm run check generated` fails if it differs from the contracts. */
export const openApiDocument = JSON.parse(
  readFileSync(path.join(__dirname, '..', '..', '..', 'docs', 'openapi.json'), 'utf8'),
) as OpenApiDocument;

/** Resolves a reference into the components; returns anything else unchanged. */
export function resolved(part: JsonObject): JsonObject {
  const reference = part['$ref'];
  if (typeof reference !== 'string') return part;
  const found = reference
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (place, key) => (isJsonObject(place) ? place[key] : undefined),
      openApiDocument as unknown as JsonObject,
    );
  if (!isJsonObject(found)) throw new Error(`${reference} is a broken reference`);
  return found;
}
