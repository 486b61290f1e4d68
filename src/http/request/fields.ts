import { z } from 'zod';

import type { InputErrorCode } from '../../shared/errors';
import { isUuid } from '../../shared/uuid';

/** The error of a field's parser. The detail never quotes the value. */
export class Refusal {
  constructor(
    readonly code: InputErrorCode,
    readonly detail: string,
  ) {}
}

export const refuse = (code: InputErrorCode, detail: string): Refusal => new Refusal(code, detail);

/** A field that zod cannot describe: a parser, and the JSON Schema that documents it. */
export function field<T>(schema: Readonly<Record<string, unknown>>, parse: (value: unknown) => T | Refusal) {
  return z
    .unknown()
    .transform((value, context): T => {
      const result = value === undefined ? refuse('required', 'This field is required.') : parse(value);
      if (!(result instanceof Refusal)) return result;
      context.addIssue({ code: 'custom', message: result.detail, params: { code: result.code } });
      return z.NEVER;
    })
    .meta({ ...schema });
}

/**
 * An optional value that is checked or decides something, such as an amount or a choice. Null and
 * an empty string are refused: they come from a variable that is not set, and would skip the check.
 */
export function optionalField<T>(
  schema: Readonly<Record<string, unknown>>,
  parse: (value: unknown) => T | Refusal,
) {
  return field<T>(schema, (value) =>
    value === null || value === ''
      ? refuse('required', 'This field is empty. Send a value, or leave the field out.')
      : parse(value),
  ).optional();
}

/**
 * An optional member that the service only records, or `currency`, which has one value. Null and an
 * empty string count as absent, because serializers and forms send them.
 */
export function recordedField<T>(
  schema: Readonly<Record<string, unknown>>,
  parse: (value: unknown) => T | Refusal,
) {
  return field<T | undefined>(schema, (value) =>
    value === null || value === '' ? undefined : parse(value),
  ).optional();
}

const controlCharacter = /\p{Cc}/u;

/**
 * Optional text with a maximum length. Rejects control characters, because PostgreSQL cannot store
 * NUL, and broken surrogate pairs.
 */
export function optionalText(maximum: number, description: string) {
  return recordedField({ type: 'string', maxLength: maximum, description }, (value) =>
    parseText(value, maximum),
  );
}

/** Like `optionalText`, but null and an empty string clear the value: the result is null. */
export function clearableText(maximum: number, description: string) {
  return field<string | null | undefined>(
    { type: ['string', 'null'], maxLength: maximum, description },
    (value) => (value === null || value === '' ? null : parseText(value, maximum)),
  ).optional();
}

/**
 * Required text with at least one character that is not white space, otherwise like `optionalText`.
 */
export function requiredText(maximum: number, description: string) {
  return field({ type: 'string', minLength: 1, maxLength: maximum, description }, (value) =>
    parseVisibleText(value, maximum),
  );
}

/** Like `requiredText`, but without white space at its ends, which would make it another text. */
export function requiredReference(maximum: number, description: string) {
  return field({ type: 'string', minLength: 1, maxLength: maximum, description }, (value) => {
    const text = parseVisibleText(value, maximum);
    return typeof text === 'string' ? text.trim() : text;
  });
}

const parseVisibleText = (value: unknown, maximum: number): string | Refusal =>
  typeof value === 'string' && value.trim() === ''
    ? refuse('invalid_length', 'Send at least one character that is not a space.')
    : parseText(value, maximum);

function parseText(value: unknown, maximum: number): string | Refusal {
  if (typeof value !== 'string') return refuse('invalid_type', 'Send a string.');
  if (Array.from(value).length > maximum)
    return refuse('invalid_length', `Send at most ${maximum} characters.`);
  if (controlCharacter.test(value) || !value.isWellFormed()) {
    return refuse('invalid_format', 'Remove control characters and broken surrogate pairs.');
  }
  return value;
}

export const idPattern = '^[1-9][0-9]{0,17}$';

/** An id in a path: a positive integer in decimal digits. */
export function idInPath(description: string) {
  return field({ type: 'string', pattern: idPattern, description, examples: ['1'] }, (value) =>
    typeof value === 'string' && /^[1-9]\d{0,17}$/.test(value)
      ? value
      : refuse('invalid_format', 'Send a positive integer without leading zeros.'),
  );
}

/** A UUID in a path or a query, in lower case. */
export function uuidField(description: string, example?: string) {
  const examples = example === undefined ? {} : { examples: [example] };
  return field({ type: 'string', format: 'uuid', description, ...examples }, (value) =>
    isUuid(value) ? value.toLowerCase() : refuse('invalid_format', 'Send a UUID.'),
  );
}

/** 0 or 1 (specification 4.2). */
export function flag(description: string) {
  return z
    .enum(['0', '1'], { error: 'Send 0 or 1.' })
    .transform((value) => value === '1')
    .optional()
    .meta({ type: 'integer', enum: [0, 1], description });
}

/** The maximum number of items on one page. */
export function limit(byDefault: number) {
  return field({ type: 'integer', minimum: 1, maximum: 1000, default: byDefault }, (value) => {
    const number = typeof value === 'string' && /^[1-9]\d{0,3}$/.test(value) ? Number(value) : 0;
    return number >= 1 && number <= 1000 ? number : refuse('out_of_range', 'Send an integer from 1 to 1000.');
  })
    .optional()
    .transform((value) => value ?? byDefault);
}

/** A cursor from the previous page. */
export function cursor<T>(read: (text: string) => T | undefined) {
  return field({ type: 'string', description: 'The next_cursor of the previous page.' }, (value) => {
    const key = typeof value === 'string' ? read(value) : undefined;
    return key ?? refuse('invalid_format', 'Send the next_cursor of the previous page, unchanged.');
  }).optional();
}

const isoInstant = z.iso.datetime({ offset: false });
const isoDate = z.iso.date();
// ISO 8601 has a year 0, but PostgreSQL does not.
const isYearKnown = (text: string): boolean => !text.startsWith('0000');

// Nine decimals are more than PostgreSQL stores, and it rejects times with more than 128
// characters.
const longestInstant = '2026-01-31T00:00:00.123456789Z'.length;

/** A point in time, in UTC. */
export function timestamp(description: string) {
  return field({ type: 'string', format: 'date-time', description }, (value) => {
    const result = isoInstant.safeParse(value);
    return result.success && isYearKnown(result.data) && result.data.length <= longestInstant
      ? result.data
      : refuse('invalid_format', 'Send a UTC time such as 2026-01-31T00:00:00Z, with at most nine decimals.');
  }).optional();
}

/** A calendar date, ISO 8601. */
export function optionalDate(description: string) {
  return recordedField({ type: 'string', format: 'date', description }, parseDate);
}

/**
 * An optional date that is not empty. An empty filter must not select everything: it may come from
 * a variable that is not set.
 */
export function dateFilter(description: string) {
  return field({ type: 'string', format: 'date', description }, parseDate).optional();
}

/** Like `optionalDate`, but required. */
export function requiredDate(description: string, example: string) {
  return field({ type: 'string', format: 'date', description, examples: [example] }, parseDate);
}

function parseDate(value: unknown): string | Refusal {
  const result = isoDate.safeParse(value);
  return result.success && isYearKnown(result.data)
    ? result.data
    : refuse('invalid_format', 'Send a date such as 2026-01-31.');
}

/** A member of a JSON body that is an integer within bounds, inclusive. */
export function integerInBody(minimum: number, maximum: number, description: string) {
  return optionalField({ type: 'integer', minimum, maximum, description }, (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value))
      return refuse('invalid_type', 'Send an integer.');
    return value >= minimum && value <= maximum
      ? value
      : refuse('out_of_range', `Send an integer from ${minimum} to ${maximum}.`);
  });
}

/** An optional member of a JSON body that is true or false. Null does not count as absent. */
export function booleanInBody(description: string) {
  return field({ type: 'boolean', description }, (value) =>
    typeof value === 'boolean' ? value : refuse('invalid_type', 'Send true or false.'),
  ).optional();
}
