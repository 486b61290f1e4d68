import { formatCents, parseAmountToCents } from '../../shared/money';
import type { CatalogueHighlight } from './catalogue';

/** An invalid field. The message continues a sentence that begins with the field's name. */
export class FieldProblem extends Error {}

/** Parses a field. Null is an empty cell in CSV and null in JSON. */
export type FieldReader<T> = (value: unknown) => T;

const longestUrl = 2_048;
const longestProse = 100_000;
const largestInteger = 2_147_483_647;
// Matches control characters other than line breaks and tabs. PostgreSQL cannot store NUL.
const strayControl = /[^\P{Cc}\n\t]/u;
const anyControl = /\p{Cc}/u;

function readText(value: unknown): string {
  if (typeof value !== 'string') throw new FieldProblem('must be text');
  if (!value.isWellFormed()) throw new FieldProblem('has an invalid character');
  return value;
}

function checkLength(text: string, minimum: number, maximum: number): void {
  const length = Array.from(text).length;
  if (length < minimum || length > maximum)
    throw new FieldProblem(`must have ${minimum} to ${maximum} characters`);
}

/** One required line of text. */
export const line =
  (maximum: number): FieldReader<string> =>
  (value) => {
    if (value === null) throw new FieldProblem('is required');
    const text = readText(value);
    if (anyControl.test(text)) throw new FieldProblem('must be one line without control characters');
    checkLength(text, 1, maximum);
    return text;
  };

/** Text with line breaks, empty by default. All line breaks become "\n". */
export const prose: FieldReader<string> = (value) => {
  if (value === null) return '';
  const text = readText(value).replace(/\r\n?/g, '\n');
  if (strayControl.test(text)) throw new FieldProblem('has control characters');
  checkLength(text, 0, longestProse);
  return text;
};

/** Like `prose`, but required. */
export const requiredProse: FieldReader<string> = (value) => {
  if (value === null || value === '') throw new FieldProblem('is required');
  return prose(value);
};

export const optional =
  <T>(read: FieldReader<T>): FieldReader<T | null> =>
  (value) =>
    value === null || value === '' ? null : read(value);

/** An absolute URL, or a path on the service itself. */
export const imageUrl: FieldReader<string> = (value) => {
  const text = line(longestUrl)(value);
  const isPath = /^\/(?!\/)/.test(text);
  if (/\s/.test(text) || !(isPath || (/^https?:\/\//.test(text) && URL.canParse(text)))) {
    throw new FieldProblem(
      'must be a URL that begins with http:// or https://, or a path that begins with /',
    );
  }
  return text;
};

export const country: FieldReader<string> = (value) => {
  const text = readText(value);
  if (!/^[A-Z]{2}$/.test(text))
    throw new FieldProblem('must be two capital letters such as KE (ISO 3166-1 alpha-2)');
  return text;
};

/** US dollars, as text with two decimals. */
export const dollars: FieldReader<string> = (value) => {
  const cents =
    typeof value === 'string' || typeof value === 'number' ? parseAmountToCents(String(value)) : undefined;
  if (cents === undefined || cents < 1n)
    throw new FieldProblem('must be US dollars such as 12000 or 12000.50');
  return formatCents(cents);
};

export const integer =
  (minimum: number, maximum = largestInteger): FieldReader<number> =>
  (value) => {
    if (value === null || value === '') throw new FieldProblem('is required');
    const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number >= minimum && number <= maximum)
      return number;
    throw new FieldProblem(`must be a whole number from ${minimum} to ${maximum}`);
  };

export const oneOf =
  <T extends string>(choices: readonly T[]): FieldReader<T> =>
  (value) => {
    const choice = choices.find((known) => known === value);
    if (choice === undefined) throw new FieldProblem(`must be ${choices.join(' or ')}`);
    return choice;
  };

/** A UTC time from 1900 to 2249, as text with six decimals of a second. */
export const utcTime: FieldReader<string> = (value) => {
  const text = readText(value);
  const [, second, fraction = ''] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?Z$/.exec(text) ?? [];
  const time = second === undefined ? NaN : Date.parse(`${second}Z`);
  const year = new Date(time).getUTCFullYear();
  // Date.parse accepts February 30 as March 2.
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(second ?? '');
  if (second === undefined || !isReal || year < 1900 || year > 2249)
    throw new FieldProblem('must be a UTC time such as 2026-01-31T08:00:00Z');
  return `${second}.${fraction.padEnd(6, '0')}Z`;
};

const highlightMembers = new Set(['title', 'body', 'image_url']);

function readHighlight(value: unknown, index: number): CatalogueHighlight {
  const where = `highlight ${index + 1}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FieldProblem(`${where} must be an object with title, body and image_url`);
  const { title = null, body = null, image_url: image = null, ...others } = value as Record<string, unknown>;
  const [unknown] = Object.keys(others).filter((name) => !highlightMembers.has(name));
  if (unknown !== undefined) throw new FieldProblem(`${where} has an unknown member "${unknown}"`);
  try {
    return { title: line(200)(title), body: requiredProse(body), image_url: optional(imageUrl)(image) };
  } catch (error) {
    throw error instanceof FieldProblem ? new FieldProblem(`${where}: ${error.message}`) : error;
  }
}

/** Highlights: a list in JSON, or its JSON text in a CSV cell. */
export const highlights: FieldReader<CatalogueHighlight[]> = (value) => {
  if (value === null || value === '') return [];
  let list: unknown = value;
  if (typeof value === 'string') {
    try {
      list = JSON.parse(value) as unknown;
    } catch {
      throw new FieldProblem('must be a JSON list of highlights');
    }
  }
  if (!Array.isArray(list)) throw new FieldProblem('must be a list of highlights');
  return list.map(readHighlight);
};
