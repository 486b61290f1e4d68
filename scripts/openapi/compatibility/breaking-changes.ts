import { isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../../../src/http/openapi/json';
import { changed, compareMembers, listAt, objectAt, resolve, type Versions } from './document';
import { flattenSchema, schemaBreaks } from './schemas';

/**
 * Lists the changes from one OpenAPI document to the next that break a client of the first, one
 * line each. Additions, descriptions and examples break no client.
 *
 * It covers the keywords that the documents of this service use. A change of any other keyword
 * counts as breaking.
 */
export function breakingChanges(before: JsonObject, after: JsonObject): string[] {
  const versions = { before, after, unbroken: { request: new WeakMap(), response: new WeakMap() } };
  const components = (kind: string): [JsonObject, JsonObject, string] => [
    objectAt(before, 'components', kind),
    objectAt(after, 'components', kind),
    `components/${kind}/`,
  ];
  return [
    ...compareMembers(operationsOf(before), operationsOf(after), '', (was, is, where) =>
      operationBreaks(was, is, versions, where),
    ),
    ...compareMembers(
      objectAt(before, 'webhooks'),
      objectAt(after, 'webhooks'),
      'webhook ',
      (was, is, where) => schemaBreaks([bodyOf(was), bodyOf(is)], 'response', versions, where),
    ),
    ...compareMembers(...components('securitySchemes'), (was, is, where) =>
      valueBreaks(['type', 'in', 'name'], was, is, where),
    ),
    ...compareMembers(...components('responses'), (was, is, where) =>
      responseBreaks(was, is, versions, where),
    ),
  ];
}

/** What a receiver gets. */
const bodyOf = (webhook: JsonObject): JsonObject =>
  objectAt(webhook, 'post', 'requestBody', 'content', 'application/json', 'schema');

/** By method and path. */
function operationsOf(document: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(objectAt(document, 'paths')).flatMap(([path, operations]) =>
      Object.entries(operations as JsonObject).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        { security: document['security'], ...(operation as JsonObject) },
      ]),
    ),
  );
}

function valueBreaks(keys: string[], before: JsonObject, after: JsonObject, where: string): string[] {
  return keys
    .filter((key) => !isDeepStrictEqual(before[key], after[key]))
    .map((key) => changed(where, key, before[key], after[key]));
}

const isRequired = (part: unknown): boolean => objectAt(part)['required'] === true;

function operationBreaks(before: JsonObject, after: JsonObject, versions: Versions, where: string): string[] {
  const [bodyBefore, bodyAfter] = [objectAt(before, 'requestBody'), objectAt(after, 'requestBody')];
  const compareSchemas = (was: JsonObject, is: JsonObject, place: string): string[] =>
    schemaBreaks([objectAt(was, 'schema'), objectAt(is, 'schema')], 'request', versions, place);
  const [parametersBefore, parametersAfter] = [
    parametersOf(before, versions.before),
    parametersOf(after, versions.after),
  ];
  return [
    // Generated clients name their functions by operationId.
    ...valueBreaks(['operationId', 'x-scope', 'security'], before, after, where),
    ...compareMembers(parametersBefore, parametersAfter, `${where} `, compareSchemas),
    ...Object.keys(parametersAfter)
      .filter((name) => isRequired(parametersAfter[name]) && !isRequired(parametersBefore[name]))
      .map((name) => `${where} ${name}: is required now`),
    ...(isRequired(bodyAfter) && !isRequired(bodyBefore) ? [`${where} body: is required now`] : []),
    ...compareMembers(
      objectAt(bodyBefore, 'content'),
      objectAt(bodyAfter, 'content'),
      `${where} body `,
      compareSchemas,
    ),
    ...responsesBreaks(objectAt(before, 'responses'), objectAt(after, 'responses'), versions, where),
  ];
}

/** By location and name. Header names are case-insensitive. */
function parametersOf(operation: JsonObject, document: JsonObject): JsonObject {
  return Object.fromEntries(
    listAt(operation, 'parameters').map((part) => {
      const parameter = resolve(part as JsonObject, document);
      const [location, name] = [String(parameter['in']), String(parameter['name'])];
      return [`${location} parameter ${location === 'header' ? name.toLowerCase() : name}`, parameter];
    }),
  );
}

/**
 * Clients handle unknown 4xx and 5xx by class, and 304 occurs only on conditional requests. They
 * may misinterpret any other new status.
 */
const mayBeAdded = (status: string): boolean => status === '304' || /^[45]/.test(status);

function responsesBreaks(before: JsonObject, after: JsonObject, versions: Versions, where: string): string[] {
  return [
    ...compareMembers(before, after, `${where} `, (was, is, place) =>
      responseBreaks(was, is, versions, place),
    ),
    ...Object.keys(after)
      .filter((status) => !(status in before) && !mayBeAdded(status))
      .map((status) => `${where} ${status}: was added, and no client expects it`),
  ];
}

/** Media types that only a client gets that names them in `Accept`. */
const onlyOnRequest: ReadonlySet<string> = new Set(['text/csv']);

function responseBreaks(before: JsonObject, after: JsonObject, versions: Versions, where: string): string[] {
  const [typesBefore, typesAfter] = [objectAt(before, 'content'), objectAt(after, 'content')];
  return [
    ...compareMembers(
      objectAt(before, 'headers'),
      objectAt(after, 'headers'),
      `${where} header `,
      (headerBefore, headerAfter, place) => {
        const was = resolve(headerBefore, versions.before);
        const is = resolve(headerAfter, versions.after);
        return [
          ...(isRequired(was) && !isRequired(is) ? [`${place}: may be absent now`] : []),
          ...schemaBreaks([objectAt(was, 'schema'), objectAt(is, 'schema')], 'response', versions, place),
        ];
      },
    ),
    ...compareMembers(typesBefore, typesAfter, `${where} `, (was, is, place) => [
      ...schemaBreaks([objectAt(was, 'schema'), objectAt(is, 'schema')], 'response', versions, place),
      ...removedCodes(objectAt(was, 'schema'), objectAt(is, 'schema'), versions).map(
        (code) => `${place}: the error code ${code} was removed`,
      ),
    ]),
    ...Object.keys(typesAfter)
      .filter((type) => !(type in typesBefore) && !onlyOnRequest.has(type))
      .map((type) => `${where} ${type}: was added, and no client expects it`),
  ];
}

/** Clients branch on the codes of problem documents, so removing a code breaks them. */
function removedCodes(before: JsonObject, after: JsonObject, versions: Versions): string[] {
  const codesOf = (schema: JsonObject, document: JsonObject): string[] => {
    const code = objectAt(flattenSchema(schema, document), 'properties', 'code');
    return listAt(flattenSchema(code, document), 'enum').map(String);
  };
  const remaining = codesOf(after, versions.after);
  return codesOf(before, versions.before).filter((code) => !remaining.includes(code));
}
