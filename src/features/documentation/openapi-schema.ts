import { type Markup, markup, withCode } from '../../shared/markup';

/** The JSON Schema keywords that this service's OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  description?: string;
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  examples?: unknown[];
}

/** Follows a $ref within the document. */
export type Resolve = <T extends object>(value: T) => T;

/** @param document an OpenAPI document with internal references only */
export function createResolve(document: object): Resolve {
  return function resolve<T extends object>(value: T): T {
    if (!('$ref' in value) || typeof value.$ref !== 'string') return value;
    let found: unknown = document;
    for (const key of value.$ref.replace(/^#\//, '').split('/')) {
      found = (found as Record<string, unknown> | undefined)?.[key.replace(/~1/g, '/').replace(/~0/g, '~')];
    }
    if (typeof found !== 'object' || found === null) throw new Error(`${value.$ref} cannot be resolved`);
    return resolve({ ...(found as T), ...value, $ref: undefined });
  };
}

/** More values are no part of a sentence: a list that the reader can open has them. */
const mostInWords = 6;

/** The values of an enumeration, or of the elements of a list, that are not stated in words. */
function listedValues(given: Schema, resolve: Resolve): unknown[] {
  const { enum: values = [], items, anyOf, oneOf } = resolve(given);
  if (values.length > mostInWords) return values;
  return [items, anyOf, oneOf]
    .flat()
    .flatMap((inner) => (inner === undefined ? [] : listedValues(inner, resolve)));
}

/** The type in words: "string or null", "completed", "list of object". */
function typeInWords(given: Schema, resolve: Resolve): string {
  const schema = resolve(given);
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return [...new Set(several.map((one) => typeInWords(one, resolve)))].join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum && schema.enum.length > mostInWords) return `one of ${schema.enum.length} values`;
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (schema.items) return `list of ${typeInWords(schema.items, resolve)}`;
  const types = [schema.type ?? (schema.properties || schema.allOf ? 'object' : 'any')].flat();
  return types.map((type) => (type === 'string' ? (schema.format ?? type) : type)).join(' or ');
}

/** Bounds in words, except those that only limit a number to safe integers. */
function boundsInWords({ minLength, maxLength, minimum, maximum, default: byDefault }: Schema): string[] {
  const isBound = (value: number | undefined): value is number =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const range = (from: number | undefined, to: number | undefined, unit: string): string[] => {
    if (isBound(from) && isBound(to)) return [`${from} to ${to}${unit}`];
    if (isBound(to)) return [`at most ${to}${unit}`];
    return isBound(from) && from > 0 ? [`at least ${from}${unit}`] : [];
  };
  return [
    ...range(minLength === 0 ? undefined : minLength, maxLength, ' characters'),
    ...range(minimum, maximum, ''),
    ...(byDefault === undefined ? [] : [`default ${JSON.stringify(byDefault)}`]),
  ];
}

/** A field or parameter with its description, and the fields of an object inside it. */
export function renderField(
  name: string,
  given: Schema,
  about: { isRequired?: boolean; description?: string | undefined; example?: unknown },
  resolve: Resolve,
): Markup {
  const schema = resolve(given);
  const words = [typeInWords(schema, resolve), ...boundsInWords(schema)].join(', ');
  const description = about.description ?? schema.description;
  const example = about.example ?? schema.examples?.[0];
  const values = listedValues(schema, resolve);
  const isPlain = typeof example === 'string' || typeof example === 'number';
  return markup`<div><dt><code>${name}</code> <span class="type">${words}</span>${
    about.isRequired === true ? markup` <strong class="required">required</strong>` : undefined
  }</dt><dd>${description === undefined ? undefined : markup`<p>${withCode(description)}</p>`}${
    isPlain ? markup`<p class="example">Example: <code>${example}</code></p>` : undefined
  }${
    values.length > 0
      ? markup`<details class="values"><summary>The ${values.length} values</summary><ul>${values.map((value) => markup`<li><code>${String(value)}</code></li>`)}</ul></details>`
      : undefined
  }${renderFields(schema, resolve)}</dd></div>
`;
}

/** The fields of an object or of a list's elements. Undefined for other schemas. */
export function renderFields(given: Schema, resolve: Resolve, marksRequired = false): Markup | undefined {
  const schema = resolve(given);
  if (schema.items) return renderFields(schema.items, resolve, marksRequired);
  const parts = [schema, ...(schema.allOf ?? []).map((part) => resolve(part))];
  const properties = parts.flatMap((part) => Object.entries(part.properties ?? {}));
  if (properties.length === 0) return undefined;
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  return markup`<dl class="fields">${properties.map(([name, field]) =>
    renderField(name, field, { isRequired: marksRequired && required.has(name) }, resolve),
  )}</dl>`;
}
