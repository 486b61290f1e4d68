import { stringify } from 'csv-stringify/sync';

export type CsvCell = string | number | bigint | boolean | Date | null | undefined;

/** A spreadsheet reads a text that starts with one of these as a formula. */
const formula = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const negativeNumber = /^-\d+(\.\d+)?$/;

function textOf(cell: CsvCell): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return cell.toISOString();
  const text = String(cell);
  return formula.test(text) && !negativeNumber.test(text) ? `'${text}` : text;
}

/**
 * Formats rows as CSV (RFC 4180), in UTF-8 without a byte order mark. A text that a spreadsheet
 * would read as a formula gets an apostrophe in front. A negative number stays a number.
 */
export const formatCsv = (rows: readonly (readonly CsvCell[])[]): string =>
  stringify(
    rows.map((row) => row.map(textOf)),
    { record_delimiter: '\r\n', quoted_match: /[\r\n]/ },
  );
