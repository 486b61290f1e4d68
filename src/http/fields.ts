import { z } from 'zod';

import type { InputErrorCode } from '../shared/errors';
import { formatCents, parseAmountToCents } from '../shared/money';

/** Something a field's parser found wrong. The detail never quotes the value. */
class Refusal {
  constructor(
    readonly code: InputErrorCode,
    readonly detail: string,
  ) {}
}

const refuse = (code: InputErrorCode, detail: string): Refusal => new Refusal(code, detail);

/** A field whose rule zod has no words for: a parser, and the JSON Schema that documents it. */
function field<T>(schema: Readonly<Record<string, unknown>>, parse: (value: unknown) => T | Refusal) {
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

/** An optional member of a body: absent, null and empty are the same, because forms and serializers send all three. */
function optionalField<T>(schema: Readonly<Record<string, unknown>>, parse: (value: unknown) => T | Refusal) {
  return field<T | undefined>(schema, (value) =>
    value === null || value === '' ? undefined : parse(value),
  ).optional();
}

const printableAscii = /^[\x20-\x7e]*$/;
const controlCharacter = /\p{Cc}/u;

/** Optional human text of bounded length: no control characters (PostgreSQL cannot store NUL), no broken surrogate pairs. */
export function optionalText(maximum: number, description: string) {
  return optionalField({ type: 'string', maxLength: maximum, description }, (value) => {
    if (typeof value !== 'string') return refuse('invalid_type', 'Send a string.');
    if (Array.from(value).length > maximum)
      return refuse('invalid_length', `Send at most ${maximum} characters.`);
    if (controlCharacter.test(value) || !value.isWellFormed()) {
      return refuse('invalid_format', 'Control characters and broken surrogate pairs are not accepted.');
    }
    return value;
  });
}

const userHashSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 1024,
  pattern: '^[!-~]+$',
  description:
    "The user's e-mail address, encrypted by the partner in a way that always gives the same text for the same address. Opaque, compared byte for byte, 1 to 1024 visible ASCII characters.",
  examples: ['q2Zk1sV0uYc9rA7dT5xNfg=='],
} as const;

function parseUserHash(value: unknown): string | Refusal {
  if (typeof value !== 'string') return refuse('invalid_type', 'Send a string.');
  if (value.length < 1 || value.length > 1024) return refuse('invalid_length', 'Send 1 to 1024 characters.');
  if (value.includes(' ')) {
    return refuse(
      'invalid_format',
      'It contains a space. In a query, where "+" means a space, send "+" as %2B.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(value))
    return refuse('invalid_format', 'Only visible ASCII characters are accepted.');
  return value;
}

/** user_hash where it is required (specification 4.3, 4.5). */
export const userHash = field(userHashSchema, parseUserHash);

/** user_hash in the query of a read: may be left out, and empty is the same as left out (specification 4.4). */
export const optionalUserHash = field({ ...userHashSchema, minLength: 0, pattern: '^[!-~]*$' }, (value) =>
  value === '' ? undefined : parseUserHash(value),
).optional();

/** A project's id in a body: an integer, which a form field can only send as digits. */
export const projectIdInBody = field({ type: 'integer', minimum: 1, examples: [1] }, (value) => {
  const number = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number') return refuse('invalid_type', 'Send an integer.');
  if (!Number.isSafeInteger(number) || number < 1)
    return refuse('invalid_format', 'Send a positive integer.');
  return number;
});

/** An id in a path: a positive integer in decimal digits. One too large to exist is simply not found. */
export function idInPath(description: string) {
  return field({ type: 'string', pattern: '^[1-9][0-9]{0,17}$', description, examples: ['1'] }, (value) =>
    typeof value === 'string' && /^[1-9]\d{0,17}$/.test(value)
      ? value
      : refuse('invalid_format', 'Send a positive integer without leading zeros.'),
  );
}

/** transaction_id in a path. How forgivingly it is read is the transaction's own rule. */
export const transactionIdInPath = field(
  {
    type: 'string',
    description: 'The transaction_id. Case, spaces and hyphens do not matter; O is read as 0, I and L as 1.',
    examples: ['K7Q20CR5M3V9XHG'],
  },
  (value) => (typeof value === 'string' ? value : refuse('invalid_type', 'Send a string.')),
);

/** The bounds of one contribution, in cents, both inclusive. */
export interface AmountLimits {
  readonly minimumCents: bigint;
  readonly maximumCents: bigint;
}

/**
 * An amount in US dollars as a JSON number or as text (specification 4.3, 4.5), read into integer cents.
 * The decimal text is what counts; a JSON number is judged by its shortest decimal form.
 */
export function amount(limits: AmountLimits) {
  return field(amountSchema(limits), (value) => parseAmount(value, limits));
}

/** An amount that may be left out. */
export function optionalAmount(limits: AmountLimits) {
  return optionalField(amountSchema(limits), (value) => parseAmount(value, limits));
}

function amountSchema(limits: AmountLimits) {
  return {
    type: ['string', 'number'],
    description: `US dollars from ${formatCents(limits.minimumCents)} to ${formatCents(limits.maximumCents)}, a dot before the cents, at most two decimals.`,
    examples: ['25.00'],
    // JSON Schema bounds numbers only; these are for programs that compare documents.
    'x-minimum': formatCents(limits.minimumCents),
    'x-maximum': formatCents(limits.maximumCents),
  };
}

function parseAmount(value: unknown, { minimumCents, maximumCents }: AmountLimits): bigint | Refusal {
  if (typeof value !== 'string' && typeof value !== 'number') {
    return refuse('invalid_type', 'Send a number or a string.');
  }
  const cents = parseAmountToCents(String(value));
  if (cents === undefined) {
    return refuse(
      'invalid_format',
      'Send US dollars as a plain decimal such as 25 or 25.50: a dot, at most two decimals, no sign, no exponent, no spaces.',
    );
  }
  if (cents < minimumCents || cents > maximumCents) {
    return refuse(
      'out_of_range',
      `Send an amount from ${formatCents(minimumCents)} to ${formatCents(maximumCents)}.`,
    );
  }
  return cents;
}

/** currency, which may be named but not changed: there is one. */
export const currency = optionalField(
  { type: 'string', const: 'USD', description: 'May be sent; USD is the only one.' },
  (value) => (value === 'USD' ? value : refuse('unsupported_value', 'The only currency is USD.')),
);

/** 0 or 1 as specification 4.2 has it; nothing else. */
export function flag(description: string) {
  return z
    .enum(['0', '1'], { error: 'Send 0 or 1.' })
    .transform((value) => value === '1')
    .optional()
    .meta({ type: 'integer', enum: [0, 1], description });
}

/** The largest number of elements of one answer. */
export function limit(byDefault: number) {
  return field({ type: 'integer', minimum: 1, maximum: 1000, default: byDefault }, (value) => {
    const number = typeof value === 'string' && /^[1-9]\d{0,3}$/.test(value) ? Number(value) : 0;
    return number >= 1 && number <= 1000 ? number : refuse('out_of_range', 'Send an integer from 1 to 1000.');
  })
    .optional()
    .transform((value) => value ?? byDefault);
}

/** A cursor as the answer before it gave it, checked by the store's own reader. */
export function cursor<T>(read: (text: string) => T | undefined) {
  return field({ type: 'string', description: 'next_cursor of the answer before.' }, (value) => {
    const key = typeof value === 'string' ? read(value) : undefined;
    return key ?? refuse('invalid_format', 'Send next_cursor of the answer before, unchanged.');
  }).optional();
}

const isoInstant = z.iso.datetime({ offset: false });
const isoDate = z.iso.date();
// ISO 8601 has a year 0; PostgreSQL does not.
const isYearKnown = (text: string): boolean => !text.startsWith('0000');

// Whatever is behind the nanoseconds decides nothing, and PostgreSQL reads no time of more than 128 characters.
const longestInstant = '2026-01-31T00:00:00.123456789Z'.length;

/** A point in time, in UTC. */
export function timestamp(description: string) {
  return field({ type: 'string', format: 'date-time', description }, (value) => {
    const result = isoInstant.safeParse(value);
    return result.success && isYearKnown(result.data) && result.data.length <= longestInstant
      ? result.data
      : refuse('invalid_format', 'Send a UTC time such as 2026-01-31T00:00:00Z, with nine decimals at most.');
  }).optional();
}

/** Idempotency-Key: 1 to 255 printable ASCII characters. */
export const idempotencyKey = field(
  {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[ -~]+$',
    description:
      'Chosen by the caller, one for each contribution (a UUID is good). The same key with the same request never makes a second contribution, for ever.',
  },
  (value) => {
    if (typeof value !== 'string' || value.length < 1 || value.length > 255) {
      return refuse('invalid_length', 'Send 1 to 255 characters.');
    }
    return printableAscii.test(value) ? value : refuse('invalid_format', 'Only printable ASCII is accepted.');
  },
).optional();

/** A calendar date, ISO 8601. */
export function optionalDate(description: string) {
  return optionalField({ type: 'string', format: 'date', description }, (value) => {
    const result = isoDate.safeParse(value);
    return result.success && isYearKnown(result.data)
      ? result.data
      : refuse('invalid_format', 'Send a date such as 2026-01-31.');
  });
}
