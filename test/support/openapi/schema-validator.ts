import addFormats from 'ajv-formats';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';

import type { JsonObject } from '../../../src/http/openapi/json';
import { closedSchema } from './closed-schema';
import { openApiDocument } from './document';

const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  allowUnionTypes: true,
  // Compiling the schema of JSON Schema takes long. `openapi-responses.test.ts` checks with it.
  validateSchema: false,
});
addFormats(ajv);
// Keywords of OpenAPI and of this service that do not affect validity.
ajv.addVocabulary(['example', 'x-open-enum', 'x-discriminator', 'x-minimum', 'x-maximum']);

const componentId = (name: string): string => `/schemas/${name}`;

/** Turns references into the document into references between ajv's schemas. */
function withKnownReferences(schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"/schemas/');
  return JSON.parse(text) as JsonObject;
}

for (const [name, schema] of Object.entries(openApiDocument.components.schemas)) {
  // Components stay open here; the referring schema closes them.
  ajv.addSchema(withKnownReferences(closedSchema(schema, true)), componentId(name));
}

const compiled = new WeakMap<JsonObject, ValidateFunction>();

/**
 * Describes what is wrong with a value; empty if it is valid. Undocumented members are invalid.
 *
 * @param schema an object of the document itself: compiled schemas are cached by identity
 */
export function schemaViolations(schema: JsonObject, value: unknown): string[] {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = ajv.compile(withKnownReferences(closedSchema(schema)));
    compiled.set(schema, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const about = (params as Record<string, unknown>)['unevaluatedProperty'];
    return `${instancePath || 'it'} ${message ?? ''}${typeof about === 'string' ? `: ${about}` : ''}`;
  });
}
