import type { JsonObject } from '../../../src/http/openapi/json';
import { listAt, objectAt, resolve } from './document';
import { schemaBreaks, type Versions } from './schemas';

/** What of a change of an operation's parameters and body breaks those who send requests. */
export function requestBreaks(
  before: JsonObject,
  after: JsonObject,
  versions: Versions,
  where: string,
): string[] {
  return [
    ...parameterBreaks(before, after, versions, where),
    ...bodyBreaks(objectAt(before, 'requestBody'), objectAt(after, 'requestBody'), versions, `${where} body`),
  ];
}

/** By place and name; names of headers have no case. */
function parametersOf(operation: JsonObject, document: JsonObject): Map<string, JsonObject> {
  return new Map(
    listAt(operation, 'parameters').map((part) => {
      const parameter = resolve(part as JsonObject, document);
      const name = String(parameter['name']);
      const place = String(parameter['in']);
      return [`${place} parameter ${place === 'header' ? name.toLowerCase() : name}`, parameter];
    }),
  );
}

function parameterBreaks(before: JsonObject, after: JsonObject, versions: Versions, where: string): string[] {
  const [ofBefore, ofAfter] = [parametersOf(before, versions.before), parametersOf(after, versions.after)];
  const isRequired = (parameter: JsonObject | undefined): boolean => parameter?.['required'] === true;
  return [
    ...[...ofBefore].flatMap(([key, parameter]) => {
      const now = ofAfter.get(key);
      if (!now) return [`${where} ${key}: was removed`];
      const schemas = [objectAt(parameter, 'schema'), objectAt(now, 'schema')] as const;
      return schemaBreaks(schemas, 'request', versions, `${where} ${key}`);
    }),
    ...[...ofAfter]
      .filter(([key, parameter]) => isRequired(parameter) && !isRequired(ofBefore.get(key)))
      .map(([key]) => `${where} ${key}: is required now`),
  ];
}

function bodyBreaks(before: JsonObject, after: JsonObject, versions: Versions, where: string): string[] {
  const [ofBefore, ofAfter] = [objectAt(before, 'content'), objectAt(after, 'content')];
  return [
    ...(after['required'] === true && before['required'] !== true ? [`${where}: is required now`] : []),
    ...Object.keys(ofBefore).flatMap((type) =>
      type in ofAfter
        ? schemaBreaks(
            [objectAt(ofBefore, type, 'schema'), objectAt(ofAfter, type, 'schema')],
            'request',
            versions,
            `${where} ${type}`,
          )
        : [`${where} ${type}: is not accepted any more`],
    ),
  ];
}
