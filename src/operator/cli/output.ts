import { type Cell, formatCell } from './cell';
import { showsColor } from './operator';
import { type Columns, formatTable } from './table';

export type { Columns };

/**
 * The width of the terminal that the answer goes to; undefined if it goes elsewhere, or the
 * terminal does not know it.
 */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : undefined;
}

/** Prints rows as a table, or says that there is none. */
export function printTable<Row>(columns: Columns<Row>, rows: readonly Row[], whenEmpty: string): void {
  if (rows.length === 0) {
    console.log(whenEmpty);
    return;
  }
  const lines = formatTable(columns, rows, terminalWidth(), showsColor(process.stdout));
  for (const line of lines) console.log(line);
}

export interface Paging {
  limit: number;
  skip: number;
}

/** One row more than is shown: it says whether there are others. */
export const oneMore = <P extends Paging>(paging: P): P => ({ ...paging, limit: paging.limit + 1 });

/**
 * The rows of one page. When there are more, a line on standard error says so, and how to see them.
 */
export function pageOf<Row>(
  rows: readonly Row[],
  { limit, skip }: Paging,
): { rows: readonly Row[]; hasMore: boolean } {
  const hasMore = rows.length > limit;
  if (hasMore) {
    console.error(`More rows exist. Use --skip ${skip + limit} for the next ones, or a larger --limit.`);
  }
  return { rows: rows.slice(0, limit), hasMore };
}

/** Prints one line for each member. */
export function printRecord(record: Readonly<Record<string, unknown>>): void {
  const width = Math.max(0, ...Object.keys(record).map((name) => name.length));
  for (const [name, value] of Object.entries(record)) {
    console.log(`${name.padEnd(width)}  ${formatCell(value as Cell)}`);
  }
}

/**
 * Prints one line of JSON. Amounts of money are text already; what else is a bigint becomes text.
 */
export function printJson(value: unknown): void {
  console.log(
    JSON.stringify(value, (_name, member: unknown) =>
      typeof member === 'bigint' ? member.toString() : member,
    ),
  );
}
