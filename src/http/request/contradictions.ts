import type { InputError } from '../../shared/errors';
import { jsonPointer } from './json-pointer';

/** Ids are the same in any case, with and without spaces and hyphens. */
const compact = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value).toUpperCase().replace(/[\s-]/g, '')
    : '';

/**
 * Members of a body that have the name of a path parameter, but another value. Other unknown
 * members are ignored. These are not: the sender means another resource than the path names.
 *
 * @param params the path parameters as sent
 */
export function contradictionsOf(
  params: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>>,
): InputError[] {
  return Object.keys(params)
    .filter((name) => Object.hasOwn(body, name) && compact(body[name]) !== compact(params[name]))
    .map((name) => ({
      code: 'unsupported_value',
      detail: `The path has another ${name}. Send the same one, or leave this member out.`,
      pointer: jsonPointer([name]),
    }));
}
