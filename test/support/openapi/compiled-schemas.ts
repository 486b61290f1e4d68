import addFormats from 'ajv-formats';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';

import type { JsonObject } from '../../../src/http/openapi/json';

/** Compiles a schema, given as JSON. */
export type Compile = (schema: string) => ValidateFunction;

let latest: { components: string; compile: Compile } | undefined;

/**
 * Compiles each schema once. Compiling it again in every test file took 4 % of the CPU time of the
 * API tests.
 *
 * @param components the named schemas that other schemas refer to, as JSON
 */
export function schemaCompiler(components: string): Compile {
  // The document may change between test files.
  if (latest?.components !== components) latest = { components, compile: createCompiler(components) };
  return latest.compile;
}

function createCompiler(components: string): Compile {
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
  for (const [id, schema] of Object.entries(JSON.parse(components) as Record<string, JsonObject>))
    ajv.addSchema(schema, id);

  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    let validate = compiled.get(schema);
    if (!validate) {
      validate = ajv.compile(JSON.parse(schema) as JsonObject);
      compiled.set(schema, validate);
    }
    return validate;
  };
}
