import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';

import type { ImportProblem, RawRecord } from './catalogue';

const lineEnd = /\r\n|\n|\r/g;
const countLines = (text: string): number => text.match(lineEnd)?.length ?? 0;

interface CsvRow {
  cells: string[];
  line: number;
}

const isBlank = (cell: string): boolean => cell.trim() === '';

/** Excel writes the delimiter of a file in a line before the header, such as "sep=;". */
const delimiterLine = /^\uFEFF?sep=([^\r\n])(?:\r\n|\n|\r)/i;

/** Reads all rows that have a value, with their first lines, up to the first quoting error. */
function readRows(given: string, usual: string): { rows: CsvRow[]; problems: ImportProblem[] } {
  const rows: CsvRow[] = [];
  const [first = '', delimiter = usual] = delimiterLine.exec(given) ?? [];
  const text = given.slice(first.length);
  let linesBefore = countLines(first);
  try {
    parse(text, {
      bom: true,
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      raw: true,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (given: unknown) => {
        // The library's types lack the text that `raw` adds to each record.
        const { raw, record } = given as { raw: string; record: string[] };
        // Empty lines before the row belong to its raw text.
        const [emptyLines = ''] = /^[\r\n]*/.exec(raw) ?? [];
        const line = linesBefore + countLines(emptyLines) + 1;
        if (!record.every(isBlank)) rows.push({ cells: record, line });
        linesBefore += countLines(raw);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = 'has a quoting error, so this row and the rest of the file cannot be read';
    return { rows, problems: [{ line: linesBefore + 1, field: null, message }] };
  }
  return { rows, problems: [] };
}

export interface Heading {
  known: readonly string[];
  required: readonly string[];
}

/** The problems of the header row. If there is one, the other rows cannot be interpreted. */
function headingProblems(
  columns: readonly string[],
  { known, required }: Heading,
  line: number,
): ImportProblem[] {
  const [only = ''] = columns.length === 1 ? columns : [];
  const other = /[;\t|,]/.exec(only)?.[0];
  if (other !== undefined) {
    const name = other === '\t' ? 'tab' : `"${other}"`;
    const message = `has only one column: if the delimiter is not a comma, specify --delimiter ${name}`;
    return [{ line, field: null, message }];
  }
  const names = known.join(', ');
  const unnamed = columns.indexOf('') + 1;
  if (unnamed > 0) return [{ line, field: null, message: `has no name for column ${unnamed}` }];
  return [
    ...columns
      .filter((column, index) => columns.indexOf(column) !== index)
      .map((field) => ({ line, field, message: 'is the name of two columns' })),
    ...columns
      .filter((column) => !known.includes(column))
      .map((field) => ({ line, field, message: `is not a known column (${names})` })),
    ...required
      .filter((column) => !columns.includes(column))
      .map((field) => ({ line, field, message: 'is a required column' })),
  ];
}

/**
 * Reads a CSV file (RFC 4180) with a header row. An empty cell is null. Empty rows, and empty
 * columns after the last name, are skipped.
 *
 * @returns the valid rows, and a problem for each row with the wrong number of cells
 */
export function readCsv(
  text: string,
  delimiter: string,
  heading: Heading,
): { records: RawRecord[]; problems: ImportProblem[] } {
  const { rows, problems } = readRows(text, delimiter);
  const [header, ...others] = rows;
  if (!header) return { records: [], problems: [...problems, { line: 1, field: null, message: 'is empty' }] };
  const last = header.cells.findLastIndex((cell) => !isBlank(cell));
  const columns = header.cells.slice(0, last + 1).map((cell) => cell.trim());
  const wrong = headingProblems(columns, heading, header.line);
  if (wrong.length > 0) return { records: [], problems: wrong };
  const records: RawRecord[] = [];
  for (const { cells: all, line } of others) {
    // Spreadsheets add empty columns at the end.
    const cells = all.slice(columns.length).every(isBlank) ? all.slice(0, columns.length) : all;
    if (cells.length === columns.length) {
      const values = Object.fromEntries(
        columns.map((column, index) => [column, cells[index] === '' ? null : cells[index]]),
      );
      records.push({ values, lineOf: () => line });
    } else {
      const message = `has ${cells.length} cells, but there are ${columns.length} columns`;
      problems.push({ line, field: null, message });
    }
  }
  return { records, problems };
}

/** Writes rows as CSV. Objects and lists are written as JSON. */
export function writeCsv<Row extends object>(
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): string {
  return stringify(
    rows.map((row) => columns.map((column) => row[column])),
    { header: true, columns: [...columns], quoted_match: /[\r\n]/ },
  );
}
