import { stringify } from 'csv-stringify/sync';

export type CsvCell = string | number | bigint | boolean | Date | null | undefined;

/**
 * Where a spreadsheet could begin to read a formula: at the start of a cell, and after a character
 * that it may take for the end of one, depending on its locale.
 */
const formula = /(^|[;|\t\r\n])(?=\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])|^(?=[\t\r\n])/g;
const decimalNumber = /^-?\d+(\.\d+)?$/;

function textOf(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return cell.toISOString();
  const text = String(cell);
  return decimalNumber.test(text) ? text : text.replace(formula, "$1'");
}

/**
 * Formats rows as CSV (RFC 4180), in UTF-8 without a byte order mark. A text that a spreadsheet
 * could read as a formula gets an apostrophe before it. A number stays a number.
 */
export const formatCsv = (rows: readonly (readonly CsvCell[])[]): string =>
  stringify(
    rows.map((row) => row.map(textOf)),
    { record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
  );
