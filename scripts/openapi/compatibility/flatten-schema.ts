import type { JsonObject } from '../../../src/http/openapi/json';
import { listAt, objectAt, resolve } from './document';

/** A schema without references and `allOf` at its top: what they say together. */
export function flattenSchema(schema: JsonObject, document: JsonObject): JsonObject {
  const { allOf, ...own } = resolve(schema, document);
  const parts = Array.isArray(allOf) ? (allOf as JsonObject[]) : [];
  return parts.reduce((whole, part) => merge(whole, flattenSchema(part, document), document), own);
}

function merge(a: JsonObject, b: JsonObject, document: JsonObject): JsonObject {
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
    merged['properties'] = {
      ...ofA,
      ...ofB,
      ...Object.fromEntries(
        both.map((name) => [
          name,
          merge(
            flattenSchema(objectAt(ofA, name), document),
            flattenSchema(objectAt(ofB, name), document),
            document,
          ),
        ]),
      ),
    };
  }
  return merged;
}
