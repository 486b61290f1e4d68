import type { JsonObject } from '../../../src/http/openapi/json';
import { isSame, objectAt } from './document';
import { requestBreaks } from './requests';
import { responseBreaks, responsesBreaks } from './responses';
import type { Versions } from './schemas';

/**
 * What of the change from one OpenAPI document to another breaks somebody who was written for the one before; a line for
 * each. Additions, descriptions and examples break nobody.
 *
 * It knows what the documents of this service have, and takes a change of any other keyword for a break.
 */
export function breakingChanges(before: JsonObject, after: JsonObject): string[] {
  const versions = { before, after };
  return [
    ...operationsOf(before).flatMap(({ path, method, operation }) => {
      const now = objectAt(after, 'paths', path)[method];
      const where = `${method.toUpperCase()} ${path}`;
      if (now === undefined) return [`${where}: was removed`];
      return operationBreaks(operation, now as JsonObject, versions, where);
    }),
    ...namedBreaks('securitySchemes', versions, (was, is, where) =>
      ['type', 'in', 'name']
        .filter((key) => was[key] !== is[key])
        .map((key) => `${where}: ${key} changed from ${String(was[key])} to ${String(is[key])}`),
    ),
    ...namedBreaks('responses', versions, (was, is, where) => responseBreaks(was, is, versions, where)),
  ];
}

function operationsOf(document: JsonObject): { path: string; method: string; operation: JsonObject }[] {
  const paths = objectAt(document, 'paths');
  return Object.keys(paths).flatMap((path) =>
    Object.keys(objectAt(paths, path)).map((method) => ({
      path,
      method,
      operation: objectAt(paths, path, method),
    })),
  );
}

function operationBreaks(before: JsonObject, after: JsonObject, versions: Versions, where: string): string[] {
  const securityBefore = before['security'] ?? versions.before['security'];
  const securityAfter = after['security'] ?? versions.after['security'];
  return [
    // Generated clients have functions of these names.
    ...['operationId', 'x-scope']
      .filter((key) => before[key] !== after[key])
      .map((key) => `${where}: ${key} changed from ${String(before[key])} to ${String(after[key])}`),
    ...(isSame(securityBefore, securityAfter) ? [] : [`${where}: the security changed`]),
    ...requestBreaks(before, after, versions, where),
    ...responsesBreaks(objectAt(before, 'responses'), objectAt(after, 'responses'), versions, where),
  ];
}

function namedBreaks(
  kind: 'securitySchemes' | 'responses',
  { before, after }: Versions,
  compare: (was: JsonObject, is: JsonObject, where: string) => string[],
): string[] {
  const [was, is] = [objectAt(before, 'components', kind), objectAt(after, 'components', kind)];
  return Object.keys(was).flatMap((name) => {
    const where = `components/${kind}/${name}`;
    return name in is ? compare(objectAt(was, name), objectAt(is, name), where) : [`${where}: was removed`];
  });
}
