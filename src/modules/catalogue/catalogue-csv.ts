import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';

import type { ImportProblem, RawRecord } from './catalogue';

const lineEnd = /\r\n|\n|\r/g;
const countLines = (text: string): number => text.match(lineEnd)?.length ?? 0;

interface CsvRow {
  cells: string[];
  line: number;
}

/** Every row with the line it begins in, as far as the quotes can be followed. */
function readRows(text: string, delimiter: string): { rows: CsvRow[]; problems: ImportProblem[] } {
  const rows: CsvRow[] = [];
  let linesBefore = 0;
  try {
    parse(text, {
      bom: true,
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      raw: true,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (given: unknown) => {
        // With `raw` a record comes with its text, which the types of the library do not say.
        const { raw, record } = given as { raw: string; record: string[] };
        // Empty lines before the row belong to its raw text.
        const [emptyLines = ''] = /^[\r\n]*/.exec(raw) ?? [];
        rows.push({ cells: record, line: linesBefore + countLines(emptyLines) + 1 });
        linesBefore += countLines(raw);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = 'its quotes do not match: this row and what follows cannot be read';
    return { rows, problems: [{ line: linesBefore + 1, field: null, message }] };
  }
  return { rows, problems: [] };
}

/**
 * Reads a CSV file (RFC 4180) whose first row names the columns. An empty cell is null.
 *
 * @returns the rows that could be read; those with another number of cells than columns are among the problems
 */
export function readCsv(
  text: string,
  delimiter: string,
): { records: RawRecord[]; problems: ImportProblem[] } {
  const { rows, problems } = readRows(text, delimiter);
  const [header, ...others] = rows;
  if (!header) return { records: [], problems: [...problems, { line: 1, field: null, message: 'is empty' }] };
  const columns = header.cells.map((cell) => cell.trim());
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) {
    return {
      records: [],
      problems: [{ line: header.line, field: twice, message: 'is the name of two columns' }],
    };
  }
  const records: RawRecord[] = [];
  for (const { cells, line } of others) {
    if (cells.length === columns.length) {
      const values = Object.fromEntries(
        columns.map((column, index) => [column, cells[index] === '' ? null : cells[index]]),
      );
      records.push({ values, lineOf: () => line });
    } else {
      const message = `has ${cells.length} cells, and there are ${columns.length} columns`;
      problems.push({ line, field: null, message });
    }
  }
  return { records, problems };
}

/** Writes rows as CSV; what is not a text or a number is written as JSON. */
export function writeCsv<Row extends object>(
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): string {
  return stringify(
    rows.map((row) => columns.map((column) => row[column])),
    { header: true, columns: [...columns], quoted_match: /[\r\n]/ },
  );
}
