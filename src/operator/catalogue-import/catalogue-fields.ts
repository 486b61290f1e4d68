import { z } from 'zod';

import { formatCents, parseAmountToCents } from '../../shared/money';
import { isCountryCode } from './country-codes';

// A value comes from a cell in CSV, or from a member in JSON. Null is an empty cell. Each message
// continues a sentence that begins with the field's name.

const longestUrl = 2_048;
const longestProse = 100_000;
const largestInteger = 2_147_483_647;
// Matches control characters other than line breaks and tabs. PostgreSQL cannot store NUL.
const strayControl = /[^\P{Cc}\n\t]/u;
const anyControl = /\p{Cc}/u;

/** The message for a missing value, or for one of another type. */
const requiredOr =
  (message: string) =>
  ({ input }: { input?: unknown }): string =>
    input === null || input === undefined ? 'is required' : message;

const text = z
  .string({ error: requiredOr('must be text') })
  .refine((value) => value.isWellFormed(), 'has an invalid character');

const hasLength =
  (minimum: number, maximum: number) =>
  (value: string): boolean => {
    const length = Array.from(value).length;
    return length >= minimum && length <= maximum;
  };

/** One required line of text. */
const line = (maximum: number) =>
  text
    .refine((value) => !anyControl.test(value), 'must be one line without control characters')
    .refine(hasLength(1, maximum), `must have 1 to ${maximum} characters`);

const paragraphs = text
  .overwrite((value) => value.replace(/\r\n?/g, '\n'))
  .refine((value) => !strayControl.test(value), 'has control characters')
  .refine(hasLength(0, longestProse), `must have 0 to ${longestProse} characters`);

/** Text with line breaks, empty by default. All line breaks become "\n". */
const prose = z.preprocess((value) => value ?? '', paragraphs);

/** Like `prose`, but required. */
const requiredProse = paragraphs.refine((value) => value !== '', 'is required');

const optional = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' || value === undefined ? null : value), schema.nullable());

/** An absolute URL, or a path on the service itself. */
const imageUrl = line(longestUrl).refine(
  (value) =>
    !/\s/.test(value) && (/^\/(?!\/)/.test(value) || (value.startsWith('https://') && URL.canParse(value))),
  'must be a URL that begins with https://, or a path that begins with /',
);

const country = text.refine(
  isCountryCode,
  'must be a code of ISO 3166-1 alpha-2 in capital letters, such as KE',
);

/** It is part of commands and addresses, so it needs no quotes. */
const reference = line(200).regex(
  /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/,
  'must begin with a letter or digit, and contain only letters, digits and . _ : / -',
);

const isNotDollars = 'must be US dollars such as 12000 or 12000.50';

/** US dollars, as text with two decimals. */
const dollars = z
  .union([z.string(), z.number()], isNotDollars)
  .transform((value) => parseAmountToCents(String(value)) ?? 0n)
  .refine((cents) => cents >= 1n, isNotDollars)
  .transform(formatCents);

function integer(minimum: number, maximum = largestInteger) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value),
    z
      .int({ error: requiredOr(message) })
      .min(minimum, message)
      .max(maximum, message),
  );
}

const isNotUtcTime = 'must be a UTC time such as 2026-01-31T08:00:00Z';

/** A UTC time from 1900 to 2249, as text with six decimals of a second. */
const utcTime = z.iso
  .datetime(isNotUtcTime)
  .regex(/^(19\d|2[01]\d|22[0-4])\d-.*:\d\d(\.\d{1,6})?Z$/, isNotUtcTime)
  .transform((value) => {
    const [second = '', fraction = ''] = value.slice(0, -1).split('.');
    return `${second}.${fraction.padEnd(6, '0')}Z`;
  });

const highlight = z.strictObject(
  { title: line(200), body: requiredProse, image_url: optional(imageUrl) },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has an unknown member "${issue.keys.join('", "')}"`
        : 'must be an object with title, body and image_url',
  },
);

function parseList(value: unknown): unknown {
  if (value === null || value === '') return [];
  try {
    return typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
  } catch {
    return value;
  }
}

/** Highlights: a list in JSON, or its JSON text in a CSV cell. */
const highlights = z.preprocess(parseList, z.array(highlight, 'must be a JSON list of highlights'));

/** The fields of a project in a file, and the columns of a CSV file in the order of an export. */
export const projectFields = {
  reference,
  name: line(200),
  image_url: imageUrl,
  summary: prose,
  description: prose,
  category: optional(line(100)),
  country: optional(country),
  organization: optional(line(200)),
  goal_amount: optional(dollars),
  status: z.enum(['active', 'archived'], 'must be active or archived'),
  /** Editorial order, lowest first. */
  rank: integer(0, 1_000_000_000),
  highlights,
};

export const storyFields = {
  project_reference: reference,
  /** The number of the story. Unique within its project, and never reused. */
  number: integer(1, 2_147_483_646),
  title: line(200),
  body: requiredProse,
  image_url: optional(imageUrl),
  status: z.enum(['published', 'archived'], 'must be published or archived'),
  published_at: utcTime,
};

/** The message of the first problem of a value. */
export function messageOf({ issues: [issue] }: z.ZodError): string {
  const { path = [], message = 'is invalid' } = issue ?? {};
  const [index, member] = path;
  if (index === undefined) return message;
  const where = `highlight ${Number(index) + 1}`;
  return member === undefined ? `${where} ${message}` : `${where}: ${String(member)} ${message}`;
}
