import type { JsonObject } from '../../../src/http/openapi/json';
import { listAt, objectAt, resolve } from './document';
import { flattenSchema } from './flatten-schema';
import { schemaBreaks, type Versions } from './schemas';

/** A client that does not know a new success or redirect takes it for something else; 304 comes only when asked for. */
const mayBeAdded = (status: string): boolean => status === '304' || /^[45]/.test(status);

/** What of a change of an operation's answers breaks those who read them. */
export function responsesBreaks(
  before: JsonObject,
  after: JsonObject,
  versions: Versions,
  where: string,
): string[] {
  return [
    ...Object.keys(before).flatMap((status) =>
      status in after
        ? responseBreaks(objectAt(before, status), objectAt(after, status), versions, `${where} ${status}`)
        : [`${where} ${status}: was removed`],
    ),
    ...Object.keys(after)
      .filter((status) => !(status in before) && !mayBeAdded(status))
      .map((status) => `${where} ${status}: was added, and nobody expects it`),
  ];
}

/** What of a change of one response breaks those who read it. */
export function responseBreaks(
  before: JsonObject,
  after: JsonObject,
  versions: Versions,
  where: string,
): string[] {
  return [
    ...headerBreaks(objectAt(before, 'headers'), objectAt(after, 'headers'), versions, where),
    ...contentBreaks(objectAt(before, 'content'), objectAt(after, 'content'), versions, where),
  ];
}

function headerBreaks(before: JsonObject, after: JsonObject, versions: Versions, where: string): string[] {
  return Object.keys(before).flatMap((name) => {
    const place = `${where} header ${name}`;
    if (!(name in after)) return [`${place}: was removed`];
    const was = resolve(objectAt(before, name), versions.before);
    const is = resolve(objectAt(after, name), versions.after);
    return [
      ...(was['required'] === true && is['required'] !== true ? [`${place}: may be absent now`] : []),
      ...schemaBreaks([objectAt(was, 'schema'), objectAt(is, 'schema')], 'response', versions, place),
    ];
  });
}

function contentBreaks(before: JsonObject, after: JsonObject, versions: Versions, where: string): string[] {
  return [
    ...Object.keys(before).flatMap((type) => {
      const place = `${where} ${type}`;
      if (!(type in after)) return [`${place}: was removed`];
      const schemas = [objectAt(before, type, 'schema'), objectAt(after, type, 'schema')] as const;
      return [
        ...schemaBreaks(schemas, 'response', versions, place),
        ...removedCodes(schemas, versions).map((code) => `${place}: the error code ${code} was removed`),
      ];
    }),
    ...Object.keys(after)
      .filter((type) => !(type in before))
      .map((type) => `${where} ${type}: was added, and nobody expects it`),
  ];
}

/** Callers decide by the codes of problem documents, so one that does not come any more leaves a case of theirs dead. */
function removedCodes([before, after]: readonly [JsonObject, JsonObject], versions: Versions): string[] {
  const codesOf = (schema: JsonObject, document: JsonObject): string[] => {
    const code = objectAt(flattenSchema(schema, document), 'properties', 'code');
    return listAt(flattenSchema(code, document), 'enum').map(String);
  };
  const remaining = codesOf(after, versions.after);
  return codesOf(before, versions.before).filter((code) => !remaining.includes(code));
}
