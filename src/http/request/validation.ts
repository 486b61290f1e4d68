import { z } from 'zod';

import type { InputError, InputErrorCode } from '../../shared/errors';
import { jsonPointer } from './json-pointer';
import { nearestName } from './nearest-name';

/** The part of a request that contains a value. */
export type Place = 'path' | 'query' | 'header' | 'body';

type Issue = z.core.$ZodIssue;

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    root,
  );
}

function codeOf(issue: Issue, value: unknown): InputErrorCode {
  if (issue.code === 'custom') return issue.params?.['code'] as InputErrorCode;
  if (value === undefined) return 'required';
  switch (issue.code) {
    case 'invalid_value':
      return 'unsupported_value';
    case 'invalid_format':
      return 'invalid_format';
    case 'unrecognized_keys':
      return 'unknown_parameter';
    default:
      return 'invalid_type';
  }
}

/** idempotency-key → Idempotency-Key */
function headerName(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_match, dash: string, letter: string) => dash + letter.toUpperCase());
}

function locate(
  place: Place,
  path: readonly PropertyKey[],
): { pointer: string } | { parameter: string } | { header: string } {
  if (place === 'body') return { pointer: jsonPointer(path) };
  const name = String(path[0]);
  return place === 'header' ? { header: headerName(name) } : { parameter: name };
}

/**
 * The most suggestions for one request, enough for every typo. More would let a request cause much
 * work.
 */
const mostSuggestions = 5;

function unknownParameters(place: Place, keys: readonly string[], known: readonly string[]): InputError[] {
  return keys.map((key, at) => {
    const meant = at < mostSuggestions ? nearestName(key, known) : undefined;
    const all = at === 0 ? ` Known: ${known.join(', ') || 'none'}.` : '';
    const help = meant === undefined ? all : ` Did you mean ${meant}?`;
    return {
      code: 'unknown_parameter',
      detail: `This operation does not have this parameter.${help}`,
      ...locate(place, [key]),
    };
  });
}

const namesOf = (schema: z.ZodType): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

function toInputErrors(place: Place, issue: Issue, input: unknown, schema: z.ZodType): InputError[] {
  if (issue.code === 'unrecognized_keys') return unknownParameters(place, issue.keys, namesOf(schema));
  const value = valueAt(input, issue.path);
  const repeated = Array.isArray(value) && place !== 'body';
  return [
    {
      code: repeated ? 'duplicate' : codeOf(issue, value),
      detail: repeated ? 'Send this only once.' : issue.message,
      ...locate(place, issue.path),
    },
  ];
}

/** Returns the parsed value, or all errors of the value. */
export function validate<S extends z.ZodType>(
  place: Place,
  schema: S,
  input: unknown,
): { value: z.output<S>; errors: [] } | { value: undefined; errors: InputError[] } {
  const result = schema.safeParse(input);
  if (result.success) return { value: result.data, errors: [] };
  return {
    value: undefined,
    errors: result.error.issues.flatMap((issue) => toInputErrors(place, issue, input, schema)),
  };
}
