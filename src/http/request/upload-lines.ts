import { ServiceError } from '../../shared/errors';
import { parseJson } from './body';
import { parseCsvRecord } from './csv-record';
import { nearestName } from './nearest-name';
import type { Upload } from './upload';

export const longestLineBytes = 1_024;

const newline = 0x0a;
const quotationMark = 0x22;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** A line with its number, from 1, and its members. */
export interface UploadLine {
  number: number;
  /** @throws ServiceError malformed_body */
  read: () => Record<string, unknown>;
}

export interface Columns {
  required: readonly string[];
  optional: readonly string[];
}

/**
 * Reads a file line by line. Empty lines are skipped. A line that cannot be read does not affect
 * the others.
 *
 * @throws ServiceError malformed_body for a wrong header of a CSV file
 */
export function* readUploadLines({ media, bytes }: Upload, columns: Columns): Generator<UploadLine, void> {
  let header: readonly string[] | undefined;
  for (const { number, bytes: line } of linesOf(bytes)) {
    if (line.length === 0) continue;
    if (media === 'csv' && !header) header = readHeader(line, columns);
    else {
      const names = header;
      yield { number, read: () => (names ? readRecord(line, names) : readObject(line)) };
    }
  }
}

/**
 * Refuses a CSV file with a line break inside a cell. Each line is an item of its own, so a text
 * that somebody else wrote could otherwise add an item. A line that ends inside a quoted cell has
 * an odd number of quotation marks, because a writer doubles those in the text (RFC 4180).
 *
 * @param content the content of one line as a noun, for the message
 * @throws ServiceError for an empty file and for one with too many lines
 */
export function checkUploadLines({ media, bytes }: Upload, mostLines: number, content: string): void {
  let isEmpty = true;
  for (const { number, bytes: line } of linesOf(bytes)) {
    isEmpty &&= line.length === 0;
    if (media === 'csv' && hasOpenQuote(line)) {
      throw malformed(
        `Line ${number} has an odd number of quotation marks. A cell cannot contain a line break. No changes were made.`,
      );
    }
    if (number <= mostLines) continue;
    throw new ServiceError('body_too_large', {
      detail: `The file has more than ${mostLines} lines. No changes were made. Split the file.`,
    });
  }
  if (isEmpty) {
    throw new ServiceError('malformed_body', {
      detail: `The file is empty. Send one ${content} per line.`,
    });
  }
}

function hasOpenQuote(line: Buffer): boolean {
  let isOpen = false;
  for (let at = line.indexOf(quotationMark); at >= 0; at = line.indexOf(quotationMark, at + 1))
    isOpen = !isOpen;
  return isOpen;
}

/** All lines with their numbers. */
function* linesOf(bytes: Buffer): Generator<{ number: number; bytes: Buffer }, void> {
  let start = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  for (let number = 1; start < bytes.length; number += 1) {
    const found = bytes.indexOf(newline, start);
    const next = found < 0 ? bytes.length : found;
    const end = next > start && bytes[next - 1] === carriageReturn ? next - 1 : next;
    yield { number, bytes: bytes.subarray(start, end) };
    start = next + 1;
  }
}

function readObject(bytes: Buffer): Record<string, unknown> {
  checkLength(bytes);
  return parseJson(bytes, 'line');
}

function readRecord(bytes: Buffer, header: readonly string[]): Record<string, unknown> {
  checkLength(bytes);
  const cells = parseCsvRecord(textOf(bytes));
  if (!cells) throw malformed('The quotation marks of the line do not match.');
  if (cells.length !== header.length) {
    throw malformed(`The line has ${cells.length} columns, but the header has ${header.length}.`);
  }
  // An empty cell is the only way to leave a member out.
  return Object.fromEntries(header.flatMap((name, at) => (cells[at] === '' ? [] : [[name, cells[at]]])));
}

const listOf = (names: readonly string[]): string => names.join(', ');

function readHeader(bytes: Buffer, { required, optional }: Columns): string[] {
  const names = bytes.length <= longestLineBytes ? parseCsvRecord(textOf(bytes)) : undefined;
  if (!names || !required.every((name) => names.includes(name))) {
    const more = optional.length > 0 ? `, and optionally ${listOf(optional)}` : '';
    throw malformed(
      `The first line must name the columns, separated by commas: ${listOf(required)}${more}. No changes were made.`,
    );
  }
  if (new Set(names).size !== names.length) {
    throw malformed('The first line names a column twice. No changes were made.');
  }
  const known = [...required, ...optional];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownColumn(unknown, known);
  return names;
}

/**
 * An error for an unknown column. Otherwise, a misspelled optional column would lose its values.
 */
function unknownColumn(name: string, known: readonly string[]): ServiceError {
  const meant = nearestName(name, known);
  const help = meant === undefined ? `The columns are ${listOf(known)}.` : `Did you mean ${meant}?`;
  return malformed(`The first line names an unknown column: "${name}". ${help} No changes were made.`);
}

function checkLength(bytes: Buffer): void {
  if (bytes.length > longestLineBytes) throw malformed(`The line exceeds ${longestLineBytes} bytes.`);
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw malformed('The line is not valid UTF-8.', error);
  }
}

const malformed = (detail: string, cause?: unknown): ServiceError =>
  new ServiceError('malformed_body', { detail, cause });
