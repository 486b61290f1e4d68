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

/** Which columns a file may have, and which it must have. */
export interface Heading {
  known: readonly string[];
  required: readonly string[];
}

/**
 * What is wrong with the first row. While there is any, the rows below say nothing that could be
 * relied on.
 */
function headingProblems(
  columns: readonly string[],
  { known, required }: Heading,
  line: number,
): ImportProblem[] {
  const [only = ''] = columns.length === 1 ? columns : [];
  const other = /[;\t|,]/.exec(only)?.[0];
  if (other !== undefined) {
    const name = other === '\t' ? 'tab' : `"${other}"`;
    const message = `is one column: another delimiter is meant, it seems; say --delimiter ${name}`;
    return [{ line, field: null, message }];
  }
  const names = `one of the columns ${known.join(', ')}`;
  return [
    ...columns
      .filter((column, index) => columns.indexOf(column) !== index)
      .map((field) => ({ line, field, message: 'is the name of two columns' })),
    ...columns
      .filter((column) => !known.includes(column))
      .map((field) => ({ line, field, message: `is not ${names}` })),
    ...required
      .filter((column) => !columns.includes(column))
      .map((field) => ({ line, field, message: 'is required, and there is no column of this name' })),
  ];
}

/**
 * Reads a CSV file (RFC 4180) whose first row names the columns. An empty cell is null.
 *
 * @returns the rows that could be read; those with another number of cells than columns are among
 *   the problems
 */
export function readCsv(
  text: string,
  delimiter: string,
  heading: Heading,
): { records: RawRecord[]; problems: ImportProblem[] } {
  const { rows, problems } = readRows(text, delimiter);
  const [header, ...others] = rows;
  if (!header) return { records: [], problems: [...problems, { line: 1, field: null, message: 'is empty' }] };
  const columns = header.cells.map((cell) => cell.trim());
  const wrong = headingProblems(columns, heading, header.line);
  if (wrong.length > 0) return { records: [], problems: wrong };
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
