import type { ValidateFunction } from 'ajv/dist/2020';

import type { JsonObject } from '../../../src/http/openapi/json';
import { closedSchema } from './closed-schema';
import { schemaCompiler } from './compiled-schemas';
import { openApiDocument } from './document';

/** The schema as JSON, with references between ajv's schemas instead of into the document. */
function withKnownReferences(schema: JsonObject): string {
  return JSON.stringify(schema).replaceAll('"#/components/schemas/', '"/schemas/');
}

const compile = schemaCompiler(
  withKnownReferences(
    Object.fromEntries(
      Object.entries(openApiDocument.components.schemas).map(([name, schema]) => [
        `/schemas/${name}`,
        // Components stay open here; the referring schema closes them.
        closedSchema(schema, true),
      ]),
    ),
  ),
);

const compiled = new WeakMap<JsonObject, ValidateFunction>();

/**
 * Describes what is wrong with a value; empty if it is valid. Undocumented members are invalid.
 *
 * @param schema an object of the document itself: compiled schemas are cached by identity
 */
export function schemaViolations(schema: JsonObject, value: unknown): string[] {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = compile(withKnownReferences(closedSchema(schema)));
    compiled.set(schema, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const about = (params as Record<string, unknown>)['unevaluatedProperty'];
    return `${instancePath || 'it'} ${message ?? ''}${typeof about === 'string' ? `: ${about}` : ''}`;
  });
}
