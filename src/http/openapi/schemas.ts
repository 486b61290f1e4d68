import { z } from 'zod';

import { isJsonObject, type JsonObject, mapValues } from './json';

/**
 * JSON Schemas of one document. A zod schema with an `id` becomes a component in
 * `components/schemas`.
 */
export type Schemas = ReturnType<typeof createSchemas>;

export function createSchemas() {
  const shared: JsonObject = {};
  return {
    /** @param io `input` for requests, `output` for responses */
    of(schema: z.ZodType, io: 'input' | 'output') {
      const { $defs, ...described } = z.toJSONSchema(schema, {
        io,
        unrepresentable: 'any',
        override: restoreAnnotations,
      }) as JsonObject;
      for (const [name, definition] of Object.entries(isJsonObject($defs) ? $defs : {})) {
        shared[name] = tidy(definition);
      }
      return tidy(described) as JsonObject;
    },
    /** The components so far, by name. */
    shared: () => shared,
  };
}

/**
 * zod drops examples and defaults of transformed values. Here they describe the input, so restore
 * them.
 */
function restoreAnnotations({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: object;
}): void {
  const { examples, default: byDefault } = (z.globalRegistry.get(zodSchema) ?? {}) as JsonObject;
  Object.assign(jsonSchema, examples === undefined ? {} : { examples });
  Object.assign(jsonSchema, byDefault === undefined ? {} : { default: byDefault });
}

/**
 * Removes zod's own annotations and `additionalProperties: false`. The service may add members, so
 * a client that validates responses against the document must accept them. The tests forbid
 * additional members again.
 */
function tidy(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(tidy);
  if (!isJsonObject(schema)) return schema;
  const { additionalProperties, minimum, maximum, pattern, ...named } = schema;
  const rest = Object.fromEntries(Object.entries(named).filter(([key]) => key !== '$schema' && key !== 'id'));
  const isTime = rest['format'] === 'date-time';
  const isDate = rest['format'] === 'date';
  return {
    ...mapValues(rest, (value, key) =>
      key === 'properties' && isJsonObject(value)
        ? mapValues(value, tidy)
        : annotations.has(key)
          ? value
          : tidyReference(key, value),
    ),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
    // The format implies the rest of the pattern, except the time zone.
    ...(isTime ? { pattern: 'Z$' } : pattern === undefined || isDate ? {} : { pattern }),
    ...(additionalProperties === undefined || additionalProperties === false
      ? {}
      : { additionalProperties: tidy(additionalProperties) }),
  };
}

const annotations: ReadonlySet<string> = new Set(['examples', 'default', 'enum', 'const']);

function tidyReference(key: string, value: unknown): unknown {
  return key === '$ref' && typeof value === 'string'
    ? value.replace('#/$defs/', '#/components/schemas/')
    : tidy(value);
}

/** The fields of an object schema. */
export function shapeOf(schema: z.ZodType): [string, z.ZodType][] {
  if (!(schema instanceof z.ZodObject)) throw new Error('parameters and bodies are described by an object');
  const shape: Record<string, z.ZodType> = schema.shape;
  return Object.entries(shape);
}

/** Whether the schema rejects `undefined`. */
export function isRequired(schema: z.ZodType): boolean {
  return !schema.safeParse(undefined).success;
}
