import { type Cell, formatCell } from './cell';
import { type CommandIo, type Output, printLine } from './command-io';
import { showsColor } from './operator';
import { type Columns, formatTable } from './table';

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
