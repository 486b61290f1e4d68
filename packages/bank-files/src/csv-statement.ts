import { CsvError, parse } from 'csv-parse/sync';

import { csvDelimiters, type CsvMapping } from './csv-mapping';
import { fileLimits, limitNumber } from './file-limits';
import { linesOf } from './lines';
import { PackedList } from './packed-list';
import {
  dayOf,
  newStatement,
  parseStatementCents,
  plainEntry,
  referencesOf,
  type StatementEntry,
  type StatementFile,
} from './statement-file';
import { StatementFileRefused } from './statement-file-refused';

interface Row {
  cells: readonly string[];
  line: number;
}

function dateOf(text: string, format: CsvMapping['date_format']): string | undefined {
  const separator = format.replace(/[A-Z]/g, '').charAt(0);
  const [names, parts] = [format.split(separator), text.trim().split(separator)];
  if (parts.length !== 3 || !parts.every((part) => /^\d{1,4}$/.test(part))) return undefined;
  const part = (name: string): string => (parts[names.indexOf(name)] ?? '').padStart(2, '0');
  const date = `${part('YYYY')}-${part('MM')}-${part('DD')}`;
  return date.length === 10 ? dayOf(date) : undefined;
}

/** Parses an amount. Thousands may be grouped by three digits. */
function centsOf(written: string, decimal: CsvMapping['decimal']): bigint | undefined {
  const text = written.trim().replace(/^\$/, '');
  const group = decimal === '.' ? ',' : '.';
  const isGrouped = new RegExp(`^\\d{1,3}(\\${group}\\d{3})+(\\${decimal}|$)`).test(text);
  const plain = isGrouped ? text.replaceAll(group, '') : text;
  return plain.includes(group) ? undefined : parseStatementCents(plain.replace(decimal, '.'));
}

interface Money {
  direction: 'credit' | 'debit';
  cents: bigint;
}

/** Parses a signed amount. A minus or parentheses mean a debit. */
function signedMoney(written: string, decimal: CsvMapping['decimal']): Money | undefined {
  const text = written.trim();
  const [, inParentheses] = /^\(([^()]*)\)$/.exec(text) ?? [];
  const isNegative = inParentheses !== undefined || /^[-\u2212]/.test(text);
  const cents = centsOf(inParentheses ?? text.replace(/^[-\u2212]/, ''), decimal);
  return cents === undefined ? undefined : { direction: isNegative ? 'debit' : 'credit', cents };
}

/** Whether a line leaves the column unused. Banks then write 0.00 or a dash. */
const isUnused = (cell: string): boolean => /^\$?0*[.,]?0*$|^-$/.test(cell);

function moneyOf(cell: (name: string | undefined) => string, mapping: CsvMapping): Money | undefined {
  if (mapping.amount !== undefined) return signedMoney(cell(mapping.amount), mapping.decimal);
  const cells = [cell(mapping.credit).trim(), cell(mapping.debit).trim()];
  const [credit = '', debit = ''] = cells.every(isUnused)
    ? cells
    : cells.map((text) => (isUnused(text) ? '' : text));
  // If both columns have an amount, or none has, the entry is unreadable.
  if ((credit === '') === (debit === '')) return undefined;
  const cents = centsOf(credit || debit, mapping.decimal);
  return cents === undefined ? undefined : { direction: credit === '' ? 'debit' : 'credit', cents };
}

function readRow(
  { cells, line }: Row,
  columns: ReadonlyMap<string, number>,
  mapping: CsvMapping,
): StatementEntry {
  const cell = (name: string | undefined): string => cells[columns.get(name ?? '') ?? -1] ?? '';
  const money = moneyOf(cell, mapping);
  const bookingDate = dateOf(cell(mapping.date), mapping.date_format);
  const bankReference = cell(mapping.bank_reference).trim() || null;
  const texts = mapping.texts.map((name) => cell(name).trim().slice(0, fileLimits.textLength));
  return {
    ...plainEntry,
    line,
    direction: money?.direction ?? 'credit',
    amountCents: money?.cents ?? 0n,
    currency: cell(mapping.currency).trim().toUpperCase() || 'USD',
    bookingDate: bookingDate ?? null,
    bankReference,
    identifiers: referencesOf([bankReference ?? undefined, ...texts]).filter((text) => !text.includes(' ')),
    references: referencesOf([bankReference ?? undefined, ...texts]),
    unreadable:
      money === undefined
        ? 'the amount cannot be read'
        : bookingDate === undefined
          ? 'the date cannot be read'
          : null,
  };
}

const countOf = (text: string, character: string): number => text.split(character).length - 1;

/**
 * Measures the records first. csv-parse builds a list of all cells of a record, however long. A
 * list that exceeds the memory of the thread would end the whole process.
 *
 * @throws StatementFileRefused if a record is too long
 */
function checkRecords(text: string, { delimiter }: CsvMapping): void {
  let start = 1;
  let length = 0;
  let columns = 1;
  let isQuoted = false;
  for (const { line, raw } of linesOf(text)) {
    length += raw.length + 1;
    if (length > fileLimits.lineLength) {
      throw new StatementFileRefused(`The row on line ${start} has too many characters.`);
    }
    columns += countOf(raw, delimiter);
    if (columns > fileLimits.columns) {
      throw new StatementFileRefused(`The row on line ${start} has more than ${fileLimits.columns} columns.`);
    }
    // A doubled quotation mark within a quoted text counts twice, so it changes nothing.
    if (countOf(raw, '"') % 2 === 1) isQuoted = !isQuoted;
    if (isQuoted) continue;
    start = line + 1;
    length = 0;
    columns = 1;
  }
}

/** @param onRow is called for each row, because a list of all rows would take much memory */
function readRows(text: string, { delimiter }: CsvMapping, onRow: (row: Row) => void): void {
  try {
    parse(text, {
      delimiter,
      // The same line ends as in `linesOf`.
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      max_record_size: fileLimits.lineLength,
      on_record: (cells: string[], { lines }) => {
        onRow({ cells, line: lines });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = (error as { lines?: number }).lines;
    throw new StatementFileRefused(
      `The CSV file is damaged${line === undefined ? '' : ` near line ${line}`}.`,
    );
  }
}

/** The place of each column in the header. */
function columnsOf(header: readonly string[], mapping: CsvMapping): Map<string, number> {
  const names = header.map((name) => name.trim());
  const { date, amount, credit, debit, bank_reference: reference, currency, texts } = mapping;
  const wanted = [date, amount, credit, debit, reference, currency, ...texts].filter(
    (name) => name !== undefined,
  );
  const [only = ''] = names;
  const other = csvDelimiters.find((one) => one !== mapping.delimiter && only.includes(one));
  if (names.length === 1 && other !== undefined) {
    const text = JSON.stringify(other);
    throw new StatementFileRefused(
      `The header has only one column. If ${text} separates the columns, add "delimiter": ${text} to the mapping.`,
    );
  }
  for (const name of wanted) {
    const count = names.filter((one) => one === name).length;
    if (count !== 1) {
      const column = JSON.stringify(name.slice(0, 40));
      throw new StatementFileRefused(
        count === 0
          ? `The header lacks the column ${column}.`
          : `The header names the column ${column} twice.`,
      );
    }
  }
  return new Map(names.map((name, at) => [name, at]));
}

/** Reads a CSV file with a header. Every row has as many columns as the header. */
export function readCsvStatement(text: string, mapping: CsvMapping): StatementFile {
  const entries = new PackedList<StatementEntry>();
  let columns: ReadonlyMap<string, number> | undefined;
  checkRecords(text, mapping);
  readRows(text, mapping, (row) => {
    if (!columns) {
      columns = columnsOf(row.cells, mapping);
      return;
    }
    entries.push(readRow(row, columns, mapping));
    limitNumber('entries', entries.length);
  });
  if (!columns) throw new StatementFileRefused('The file is empty.');
  const { from, to } = mapping;
  const period = from === undefined || to === undefined ? null : { from, to };
  const statement = newStatement({ line: 1, kind: 'final', period, entries });
  return { format: 'csv', version: null, statements: [statement], problems: [] };
}
