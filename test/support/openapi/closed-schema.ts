import { isJsonObject, type JsonObject, mapValues } from '../../../src/http/openapi/json';
import { resolved } from './document';

/**
 * Makes a schema reject undocumented members at every depth. The document leaves objects open
 * because the service may add members, but tests must detect undocumented ones.
 *
 * @param isPart other schemas describe the same object, so this one must stay open
 */
export function closedSchema(schema: JsonObject, isPart = false): JsonObject {
  const hasAlternatives = 'properties' in schema;
  const closed = mapValues(schema, (value, key) => {
    if (key === 'properties' && isJsonObject(value)) return mapValues(value, (member) => closeMember(member));
    if (key === 'items') return closeMember(value);
    if (key === 'allOf') return (value as JsonObject[]).map((part) => closedSchema(part, true));
    if (key === 'anyOf' || key === 'oneOf') {
      return (value as JsonObject[]).map((part) => closedSchema(part, hasAlternatives || isPart));
    }
    return value;
  });
  return isPart || !describesObject(schema)
    ? closed
    : { ...closed, type: 'object', unevaluatedProperties: false };
}

function closeMember(member: unknown): unknown {
  return isJsonObject(member) ? closedSchema(member) : member;
}

function describesObject(schema: JsonObject): boolean {
  const { allOf } = schema;
  if (Array.isArray(allOf)) return allOf.some((part: JsonObject) => describesObject(part));
  const { type, oneOf } = resolved(schema);
  return (
    type === 'object' || (Array.isArray(oneOf) && oneOf.every((one: JsonObject) => describesObject(one)))
  );
}
