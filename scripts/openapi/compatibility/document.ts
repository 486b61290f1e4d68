import { isJsonObject, type JsonObject } from '../../../src/http/openapi/json';

/** A member of an object as an object; an empty one when it is not there. */
export function objectAt(part: unknown, ...keys: string[]): JsonObject {
  const found = keys.reduce<unknown>((place, key) => (isJsonObject(place) ? place[key] : undefined), part);
  return isJsonObject(found) ? found : {};
}

/** A member of an object as a list; an empty one when it is not there. */
export function listAt(part: JsonObject, key: string): unknown[] {
  const found = part[key];
  return Array.isArray(found) ? found : [];
}

/** Whether two values are the same JSON, whatever the order of members. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

/** What a reference within the document refers to, together with what stands beside it; anything else as it is. */
export function resolve(part: JsonObject, document: JsonObject): JsonObject {
  const { $ref: reference, ...beside } = part;
  if (typeof reference !== 'string') return part;
  const keys = reference
    .split('/')
    .slice(1)
    .map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'));
  return { ...resolve(objectAt(document, ...keys), document), ...beside };
}
