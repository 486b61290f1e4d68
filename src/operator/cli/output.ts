import { type Cell, formatCell } from './cell';
import { type CommandIo, type Output, printLine } from './command-io';
import { showsColor } from './operator';
import type { Style } from './style';
import { type Columns, type ColumnWidth, formatTable } from './table';

export type { Columns };

/** The width of the terminal; undefined if the output is not a terminal or its width is unknown. */
export function terminalWidth({ isTTY, columns = 0 }: Pick<Output, 'isTTY' | 'columns'>): number | undefined {
  return isTTY && columns > 0 ? columns : undefined;
}

export function printTable<Row>(
  io: CommandIo,
  columns: Columns<Row>,
  rows: readonly Row[],
  whenEmpty: string,
): void {
  if (rows.length === 0) {
    printLine(io.stdout, whenEmpty);
    return;
  }
  const lines = formatTable(columns, rows, terminalWidth(io.stdout), showsColor(io, io.stdout));
  for (const line of lines) printLine(io.stdout, line);
}

/**
 * A member of a row: its name in JSON, its value, and its column. Without a name, only the table
 * has it, and without a heading only the JSON.
 */
export type Field<Row> = readonly [
  name: string | undefined,
  value: (row: Row) => unknown,
  heading?: string,
  width?: ColumnWidth,
  style?: (row: Row) => Style | undefined,
];

/** What a command lists. The fields have the order of the columns. */
export interface List<Row> {
  /** The member of the JSON with the rows. */
  name: string;
  fields: readonly Field<Row>[];
  whenEmpty: string;
}

export const rowAsJson = <Row>({ fields }: Pick<List<Row>, 'fields'>, row: Row): Record<string, unknown> =>
  Object.fromEntries(fields.flatMap(([name, value]) => (name === undefined ? [] : [[name, value(row)]])));

/** @param more other members of the JSON */
export function printList<Row>(
  io: CommandIo,
  { name, fields, whenEmpty }: List<Row>,
  rows: readonly Row[],
  json: boolean | undefined,
  more: Readonly<Record<string, unknown>> = {},
): void {
  if (json) {
    printJson(io, { ...more, [name]: rows.map((row) => rowAsJson({ fields }, row)) });
    return;
  }
  const columns: Columns<Row> = fields.flatMap(([, value, heading, width, style]) =>
    heading === undefined ? [] : [[heading, (row: Row) => value(row) as Cell, width, style] as const],
  );
  printTable(io, columns, rows, whenEmpty);
}

export interface Paging {
  limit: number;
  skip: number;
}

/** Reads one row more than is shown, to find out whether more rows exist. */
export const oneMore = <P extends Paging>(paging: P): P => ({ ...paging, limit: paging.limit + 1 });

/** The rows of one page. If more rows exist, a line on standard error says how to see them. */
export function pageOf<Row>(
  io: CommandIo,
  rows: readonly Row[],
  { limit, skip }: Paging,
): { rows: readonly Row[]; hasMore: boolean } {
  const hasMore = rows.length > limit;
  if (hasMore) {
    printLine(io.stderr, `More rows exist. See them with --skip ${skip + limit} or a larger --limit.`);
  }
  return { rows: rows.slice(0, limit), hasMore };
}

/** Prints a page of the rows that were read with `oneMore`. */
export function printPage<Row>(
  io: CommandIo,
  list: List<Row>,
  found: readonly Row[],
  options: Paging & { json?: boolean | undefined },
): void {
  const { rows, hasMore } = pageOf(io, found, options);
  printList(io, list, rows, options.json, { has_more: hasMore });
}

/** Prints one line per member. */
export function printRecord(io: CommandIo, record: Readonly<Record<string, unknown>>): void {
  const width = Math.max(0, ...Object.keys(record).map((name) => name.length));
  for (const [name, value] of Object.entries(record)) {
    printLine(io.stdout, `${name.padEnd(width)}  ${formatCell(value as Cell)}`);
  }
}

/** Prints one line of JSON. A bigint becomes text. */
export function printJson(io: CommandIo, value: unknown): void {
  printLine(
    io.stdout,
    JSON.stringify(value, (_name, member: unknown) =>
      typeof member === 'bigint' ? member.toString() : member,
    ),
  );
}
