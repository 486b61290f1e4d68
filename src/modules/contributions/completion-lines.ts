import { parseJson } from '../../http/request/body';
import type { Upload } from '../../http/request/upload';
import { validate } from '../../http/request/validation';
import { ServiceError } from '../../shared/errors';
import type { ParsedTransactionId } from '../../shared/transaction-id';
import { completionLine, longestLineBytes, mostLines } from './complete-contributions.contract';
import type { Evidence } from './contribution';
import { parseCsvRecord } from './csv-record';
import { readTransactionId } from './written-transaction-id';

/** A line of the file: what to complete, or why not. */
export type CompletionLine = { readonly line: number; readonly writtenId: string | null } & (
  { readonly id: ParsedTransactionId; readonly evidence: Evidence } | { readonly refusal: ServiceError }
);

const newline = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads a file line by line. A line that cannot be read does not affect the others: a quote that
 * never ends, for example, ends with its line.
 *
 * @throws ServiceError for a wrong header of a CSV file
 */
export function* readCompletionLines({ media, bytes }: Upload): Generator<CompletionLine, void> {
  let header: readonly string[] | undefined;
  for (const { number, bytes: line } of linesOf(bytes)) {
    if (line.length === 0) continue;
    if (media === 'csv' && !header) header = readHeader(line);
    else yield readLine(number, line, header);
  }
}

/** @throws ServiceError for an empty file and for one with too many lines */
export function checkFile({ bytes }: Upload): void {
  let isEmpty = true;
  for (const { number, bytes: line } of linesOf(bytes)) {
    isEmpty &&= line.length === 0;
    if (number <= mostLines) continue;
    throw new ServiceError('body_too_large', {
      detail: `The file has more than ${mostLines} lines. Nothing was done. Split it.`,
    });
  }
  if (isEmpty) {
    throw new ServiceError('malformed_body', {
      detail: 'The file is empty. Send one completion in each line.',
    });
  }
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

function readLine(line: number, bytes: Buffer, header: readonly string[] | undefined): CompletionLine {
  let writtenId: string | null = null;
  try {
    const members = header ? readRecord(bytes, header) : readObject(bytes);
    const written = members['transaction_id'];
    if (typeof written === 'string') writtenId = written;
    const { value, errors } = validate('body', completionLine, members);
    if (!value) {
      const count = errors.length === 1 ? '1 problem' : `${errors.length} problems`;
      throw new ServiceError('invalid_request', { detail: `The line has ${count}. See errors.`, errors });
    }
    const id = readTransactionId(value.transaction_id);
    const { amount: amountCents, bank_reference: bankReference, value_date: valueDate } = value;
    return { line, writtenId: id.transactionId, id, evidence: { amountCents, bankReference, valueDate } };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { line, writtenId, refusal: error };
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
  return Object.fromEntries(header.map((name, at) => [name, cells[at]]));
}

function readHeader(bytes: Buffer): string[] {
  const names = bytes.length <= longestLineBytes ? parseCsvRecord(textOf(bytes)) : undefined;
  const required = ['transaction_id', 'amount'];
  if (!names || !required.every((name) => names.includes(name))) {
    throw malformed(
      'The first line must name the columns, separated by commas: transaction_id, amount, and optionally bank_reference and value_date. Nothing was done.',
    );
  }
  if (new Set(names).size !== names.length) {
    throw malformed('The first line names a column twice. Nothing was done.');
  }
  return names;
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
