import { isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../../../src/http/openapi/json';
import { changed, compareMembers, listAt, objectAt, resolve, type Versions } from './document';

/**
 * Whether clients send or receive the data of a schema. A change that breaks one direction may be
 * harmless in the other.
 */
export type Direction = 'request' | 'response';

const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'x-maximum'];
const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'x-minimum'];
const comparedByThemselves: ReadonlySet<string> = new Set([
  ...upperBounds,
  ...lowerBounds,
  ...['type', 'enum', 'const', 'properties', 'required', 'items', 'default', 'oneOf'],
]);
const annotations: ReadonlySet<string> = new Set([
  ...['title', 'description', 'example', 'examples', 'deprecated', 'x-open-enum', 'x-discriminator'],
]);

/** Resolves the reference and the `allOf` of a schema, but not those of its properties. */
export function flattenSchema(schema: JsonObject, document: JsonObject): JsonObject {
  const { allOf, ...own } = resolve(schema, document);
  const parts = Array.isArray(allOf) ? (allOf as JsonObject[]) : [];
  return parts.reduce((whole, part) => merge(whole, flattenSchema(part, document)), own);
}

function merge(a: JsonObject, b: JsonObject): JsonObject {
  const merged: JsonObject = { ...a, ...b };
  if ('required' in a && 'required' in b) {
    merged['required'] = [...new Set([...listAt(a, 'required'), ...listAt(b, 'required')])];
  }
  if ('enum' in a && 'enum' in b) {
    merged['enum'] = listAt(a, 'enum').filter((value) => listAt(b, 'enum').includes(value));
  }
  if ('properties' in a && 'properties' in b) {
    const [ofA, ofB] = [objectAt(a, 'properties'), objectAt(b, 'properties')];
    const both = Object.keys(ofA).filter((name) => name in ofB);
    const merges = both.map((name) => [name, { allOf: [ofA[name], ofB[name]] }]);
    merged['properties'] = { ...ofA, ...ofB, ...Object.fromEntries(merges) };
  }
  return merged;
}

/**
 * Lists the changes of a schema that break clients.
 *
 * The service must accept every request that the old schema allows. The old schema must allow every
 * response that the new one allows.
 */
export function schemaBreaks(
  [schemaBefore, schemaAfter]: readonly [JsonObject, JsonObject],
  direction: Direction,
  versions: Versions,
  where: string,
): string[] {
  const unbroken = versions.unbroken[direction];
  if (unbroken.get(schemaBefore) === schemaAfter) return [];
  const found = compareSchemas([schemaBefore, schemaAfter], direction, versions, where);
  if (found.length === 0) unbroken.set(schemaBefore, schemaAfter);
  return found;
}

function compareSchemas(
  [schemaBefore, schemaAfter]: readonly [JsonObject, JsonObject],
  direction: Direction,
  versions: Versions,
  where: string,
): string[] {
  const before = flattenSchema(schemaBefore, versions.before);
  const after = flattenSchema(schemaAfter, versions.after);
  const [inner, outer] = direction === 'request' ? [before, after] : [after, before];
  const isOpen = direction === 'response' && before['x-open-enum'] === true;
  const otherKeys = Object.keys(outer).filter(
    (key) => !comparedByThemselves.has(key) && !annotations.has(key),
  );
  const breaks = [
    ...(isTypeWithin(inner, outer) ? [] : ['type']),
    ...[...upperBounds, ...lowerBounds].filter((bound) => !isBoundWithin(bound, inner, outer)),
    ...otherKeys.filter((key) => !isDeepStrictEqual(inner[key], outer[key])),
    ...(direction === 'request' && !isDeepStrictEqual(before['default'], after['default'])
      ? ['default']
      : []),
    ...('items' in outer && !('items' in inner) ? ['items'] : []),
  ];
  return [
    ...breaks.map((key) => changed(where, key, before[key], after[key])),
    ...(isOpen || areValuesWithin(inner, outer)
      ? []
      : [changed(where, 'values', valuesOf(before), valuesOf(after))]),
    ...memberBreaks([before, after], direction, versions, where),
    ...alternativeBreaks([before, after], direction, versions, where),
    ...('items' in before && 'items' in after
      ? schemaBreaks([objectAt(before, 'items'), objectAt(after, 'items')], direction, versions, `${where}[]`)
      : []),
  ];
}

function refOf(schema: unknown): string | undefined {
  const { $ref } = objectAt({ schema }, 'schema');
  return typeof $ref === 'string' ? $ref : undefined;
}

/** Alternatives are references. An open list of a response may grow. */
function alternativeBreaks(
  [before, after]: readonly [JsonObject, JsonObject],
  direction: Direction,
  versions: Versions,
  where: string,
): string[] {
  const byName = (schema: JsonObject): JsonObject =>
    Object.fromEntries(
      listAt(schema, 'oneOf').map((one, index) => [refOf(one) ?? `alternative ${index}`, one]),
    );
  const [ofBefore, ofAfter] = [byName(before), byName(after)];
  const mayGrow = direction === 'request' ? 'oneOf' in before : before['x-open-enum'] === true;
  const added = Object.keys(ofAfter).filter((name) => !(name in ofBefore));
  return [
    ...compareMembers(ofBefore, ofAfter, `${where} or `, (was, is, place) =>
      schemaBreaks([was, is], direction, versions, place),
    ),
    ...(mayGrow ? [] : added.map((name) => `${where} or ${name}: was added`)),
  ];
}

function memberBreaks(
  [before, after]: readonly [JsonObject, JsonObject],
  direction: Direction,
  versions: Versions,
  where: string,
): string[] {
  const [ofBefore, ofAfter] = [objectAt(before, 'properties'), objectAt(after, 'properties')];
  const [inner, outer] = direction === 'request' ? [before, after] : [after, before];
  const change = direction === 'request' ? 'is required now' : 'may be absent now';
  return [
    ...compareMembers(ofBefore, ofAfter, `${where}/`, (was, is, place) =>
      schemaBreaks([was, is], direction, versions, place),
    ),
    ...listAt(outer, 'required')
      .map(String)
      .filter((name) => !listAt(inner, 'required').includes(name))
      .filter((name) => direction === 'request' || name in ofAfter)
      .map((name) => `${where}/${name}: ${change}`),
  ];
}

/** undefined for any type. */
function typesOf({ type }: JsonObject): unknown[] | undefined {
  if (type === undefined) return undefined;
  return Array.isArray(type) ? (type as unknown[]) : [type];
}

function isTypeWithin(inner: JsonObject, outer: JsonObject): boolean {
  const [ofInner, ofOuter] = [typesOf(inner), typesOf(outer)];
  if (!ofOuter) return true;
  return (
    ofInner?.every((type) => ofOuter.includes(type) || (type === 'integer' && ofOuter.includes('number'))) ??
    false
  );
}

/** undefined for any value. */
function valuesOf(schema: JsonObject): unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return 'enum' in schema ? listAt(schema, 'enum') : undefined;
}

function areValuesWithin(inner: JsonObject, outer: JsonObject): boolean {
  const [ofInner, ofOuter] = [valuesOf(inner), valuesOf(outer)];
  if (!ofOuter) return true;
  return ofInner?.every((value) => ofOuter.some((other) => isDeepStrictEqual(value, other))) ?? false;
}

function isBoundWithin(bound: string, inner: JsonObject, outer: JsonObject): boolean {
  if (!(bound in outer)) return true;
  if (!(bound in inner)) return false;
  const [ofInner, ofOuter] = [Number(inner[bound]), Number(outer[bound])];
  return upperBounds.includes(bound) ? ofInner <= ofOuter : ofInner >= ofOuter;
}
