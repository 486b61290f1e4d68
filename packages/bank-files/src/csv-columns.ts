import { type CsvColumn, csvDelimiters, type CsvMapping } from './csv-mapping';
import { StatementFileRefused } from './statement-file-refused';

/** A record of a CSV file. */
export interface Row {
  cells: readonly string[];
  line: number;
}

/** The places of columns. */
export interface Columns {
  /** The names of the header, or numbers from 1 without a header. */
  names: readonly string[];
  placeOf: (column: CsvColumn | undefined) => number;
  /** More than one place if the header repeats the name. */
  placesOf: (column: CsvColumn) => number[];
}

const isSeparatorLine = ({ cells }: Row): boolean => /^sep=/i.test(cells[0] ?? '');

/** The columns that must exist exactly once, and those that may occur more often. */
function wantedColumns(mapping: CsvMapping): { once: CsvColumn[]; any: CsvColumn[] } {
  const {
    date,
    amount,
    credit,
    debit,
    direction,
    status,
    fee,
    bank_reference: reference,
    code,
    currency,
  } = mapping;
  const once = [
    date,
    amount,
    credit,
    debit,
    reference,
    code,
    currency,
    direction?.column,
    status?.column,
    fee?.column,
  ];
  return {
    once: once.filter((column) => column !== undefined),
    any: [...mapping.texts, ...(mapping.split_texts ?? []), ...(mapping.ignore ?? [])],
  };
}

/** The places with this name, in another case only if none has it exactly. */
function placesIn(names: readonly string[], column: CsvColumn): number[] {
  if (typeof column === 'number') return [column - 1];
  const all = (same: (name: string) => boolean): number[] =>
    names.flatMap((name, at) => (same(name) ? [at] : []));
  const exact = all((name) => name === column);
  return exact.length > 0 ? exact : all((name) => name.toLowerCase() === column.toLowerCase());
}

const namesOf = ({ cells }: Row): string[] => cells.map((name) => name.replace(/\s+/g, ' ').trim());

/** @returns the problem of a header, and the number of columns that it lacks */
function problemOf(row: Row, mapping: CsvMapping): { missing: number; message: string } | undefined {
  const names = namesOf(row);
  const { once, any } = wantedColumns(mapping);
  const quoted = (column: CsvColumn): string => JSON.stringify(String(column).slice(0, 40));
  const missing = [...once, ...any].filter((column) => placesIn(names, column).length === 0);
  const [first] = missing;
  if (first !== undefined) {
    return { missing: missing.length, message: `The header lacks the column ${quoted(first)}.` };
  }
  const twice = once.find((column) => placesIn(names, column).length > 1);
  if (twice === undefined) return undefined;
  const message = `The header names the column ${quoted(twice)} twice. Use its number.`;
  return { missing: 0, message };
}

/** More lines above the header are no bank's. */
const mostLinesAbove = 100;

/** Finds the header among the first rows. */
export class HeaderSearch {
  readonly #mapping: CsvMapping;
  readonly #hasHeader: boolean;
  #first: Row | undefined;
  #nearest: { missing: number; message: string } | undefined;
  #rows = 0;

  constructor(mapping: CsvMapping) {
    this.#mapping = mapping;
    const { once, any } = wantedColumns(mapping);
    this.#hasHeader =
      mapping.header_line !== 0 && [...once, ...any].some((column) => typeof column === 'string');
  }

  /** @returns the columns if this row is the header, or the first row of a file without one */
  find(row: Row): { columns: Columns; isHeader: boolean } | undefined {
    if (isSeparatorLine(row)) return undefined;
    const { header_line: line } = this.#mapping;
    if (!this.#hasHeader && (line ?? 0) === 0) return { columns: this.#columns(row, false), isHeader: false };
    if (line !== undefined && row.line !== line) return undefined;
    const problem = problemOf(row, this.#mapping);
    if (!problem) return { columns: this.#columns(row, true), isHeader: true };
    this.#first ??= row;
    this.#rows += 1;
    if (problem.missing < (this.#nearest?.missing ?? Infinity)) this.#nearest = problem;
    if (line !== undefined || this.#rows > mostLinesAbove) this.refuse();
    return undefined;
  }

  #columns(row: Row, isHeader: boolean): Columns {
    const names = isHeader ? namesOf(row) : row.cells.map((_, at) => String(at + 1));
    return {
      names,
      placeOf: (column) => (column === undefined ? -1 : (placesIn(names, column)[0] ?? -1)),
      placesOf: (column) => placesIn(names, column),
    };
  }

  /** @throws StatementFileRefused because no row is the header */
  refuse(): never {
    const [only = ''] = this.#first?.cells ?? [];
    const other = csvDelimiters.find((one) => one !== this.#mapping.delimiter && only.includes(one));
    if (this.#first?.cells.length === 1 && other !== undefined) {
      const text = JSON.stringify(other);
      throw new StatementFileRefused(
        `The header has only one column. If ${text} separates the columns, add "delimiter": ${text} to the mapping.`,
      );
    }
    const { header_line: line = 0 } = this.#mapping;
    const none = line > 0 ? `The file has no line ${line}.` : 'The file is empty.';
    throw new StatementFileRefused(this.#nearest?.message ?? none);
  }
}
