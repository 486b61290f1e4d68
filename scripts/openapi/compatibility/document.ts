import { isJsonObject, type JsonObject } from '../../../src/http/openapi/json';

/** Two versions of one document. */
export interface Versions {
  before: JsonObject;
  after: JsonObject;
  /** Pairs of schemas that were compared without a break. Many responses share a schema. */
  unbroken: Record<'request' | 'response', WeakMap<JsonObject, JsonObject>>;
}

/** A member of an object as an object; empty if the member is missing. */
export function objectAt(part: unknown, ...keys: string[]): JsonObject {
  const found = keys.reduce<unknown>((place, key) => (isJsonObject(place) ? place[key] : undefined), part);
  return isJsonObject(found) ? found : {};
}

/** A member of an object as a list; empty if the member is missing. */
export function listAt(part: JsonObject, key: string): unknown[] {
  const found = part[key];
  return Array.isArray(found) ? found : [];
}

/** Follows a reference within the document and keeps the members beside it. */
export function resolve(part: JsonObject, document: JsonObject): JsonObject {
  const { $ref: reference, ...beside } = part;
  if (typeof reference !== 'string') return part;
  const keys = reference
    .split('/')
    .slice(1)
    .map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'));
  return { ...resolve(objectAt(document, ...keys), document), ...beside };
}

/** Compares the members that both objects have, and reports the ones that only the first has. */
export function compareMembers(
  before: JsonObject,
  after: JsonObject,
  where: string,
  compare: (before: JsonObject, after: JsonObject, where: string) => string[],
): string[] {
  return Object.keys(before).flatMap((name) =>
    name in after
      ? compare(objectAt(before, name), objectAt(after, name), where + name)
      : [`${where}${name}: was removed`],
  );
}

const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

export const changed = (where: string, key: string, before: unknown, after: unknown): string =>
  `${where}: ${key} changed from ${show(before)} to ${show(after)}`;
