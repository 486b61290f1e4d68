import type { JsonObject } from '../../../src/http/openapi/json';
import { isSame, listAt, objectAt } from './document';
import { flattenSchema } from './flatten-schema';

/** Two versions of one document. */
export interface Versions {
  before: JsonObject;
  after: JsonObject;
}

/** Whether a schema is about what callers send or what they receive: what breaks one is harmless for the other. */
export type Direction = 'request' | 'response';

const upperBounds = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'x-maximum'];
const lowerBounds = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'x-minimum'];
const comparedByThemselves: ReadonlySet<string> = new Set([
  ...upperBounds,
  ...lowerBounds,
  ...['type', 'enum', 'const', 'properties', 'required', 'items', 'default'],
]);
const annotations: ReadonlySet<string> = new Set([
  ...['title', 'description', 'example', 'examples', 'deprecated', 'x-open-enum'],
]);

/**
 * What of a change of a schema breaks callers.
 *
 * A request must go on being accepted: whatever the schema before allows, the one after must allow. An answer must go on
 * being understood: whatever the schema after allows, the one before must have allowed.
 */
export function schemaBreaks(
  [schemaBefore, schemaAfter]: readonly [JsonObject, JsonObject],
  direction: Direction,
  versions: Versions,
  where: string,
): string[] {
  const before = flattenSchema(schemaBefore, versions.before);
  const after = flattenSchema(schemaAfter, versions.after);
  const [inner, outer] = direction === 'request' ? [before, after] : [after, before];
  const isOpen = direction === 'response' && before['x-open-enum'] === true;
  const say = (what: string): string => `${where}: ${what}`;
  return [
    ...(isTypeWithin(inner, outer) ? [] : [say(changed('type', before, after))]),
    ...(isOpen || areValuesWithin(inner, outer) ? [] : [say(changed('values', before, after))]),
    ...[...upperBounds, ...lowerBounds]
      .filter((bound) => !isBoundWithin(bound, inner, outer))
      .map((bound) => say(changed(bound, before, after))),
    ...Object.keys(outer)
      .filter(
        (key) => !comparedByThemselves.has(key) && !annotations.has(key) && !isSame(inner[key], outer[key]),
      )
      .map((key) => say(changed(key, before, after))),
    ...(direction === 'request' && !isSame(before['default'], after['default'])
      ? [say(changed('default', before, after))]
      : []),
    ...memberBreaks([before, after], direction, versions, where),
    ...('items' in before && 'items' in after
      ? schemaBreaks([objectAt(before, 'items'), objectAt(after, 'items')], direction, versions, `${where}[]`)
      : 'items' in outer
        ? [say(changed('items', before, after))]
        : []),
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
  const noLongerSure = direction === 'request' ? 'is required now' : 'may be absent now';
  return [
    ...Object.keys(ofBefore).flatMap((name) =>
      name in ofAfter
        ? schemaBreaks(
            [objectAt(ofBefore, name), objectAt(ofAfter, name)],
            direction,
            versions,
            `${where}/${name}`,
          )
        : [`${where}/${name}: was removed`],
    ),
    ...listAt(outer, 'required')
      .map(String)
      .filter(
        (name) => !listAt(inner, 'required').includes(name) && (direction === 'request' || name in ofAfter),
      )
      .map((name) => `${where}/${name}: ${noLongerSure}`),
  ];
}

const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

function changed(key: string, before: JsonObject, after: JsonObject): string {
  if (key === 'values') return `values changed from ${show(valuesOf(before))} to ${show(valuesOf(after))}`;
  return `${key} changed from ${show(before[key])} to ${show(after[key])}`;
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
  return ofInner?.every((value) => ofOuter.some((other) => isSame(value, other))) ?? false;
}

function isBoundWithin(bound: string, inner: JsonObject, outer: JsonObject): boolean {
  if (!(bound in outer)) return true;
  if (!(bound in inner)) return false;
  const [ofInner, ofOuter] = [Number(inner[bound]), Number(outer[bound])];
  return upperBounds.includes(bound) ? ofInner <= ofOuter : ofInner >= ofOuter;
}
