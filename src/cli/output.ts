import { type Cell, formatCell } from './cell';
import { type Columns, formatTable } from './table';

export type { Columns };

/** The width of the terminal that the answer goes to; undefined if it goes elsewhere. */
export function terminalWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns : undefined;
}

/** Prints rows as a table, or says that there is none. */
export function printTable<Row>(columns: Columns<Row>, rows: readonly Row[], whenEmpty: string): void {
  if (rows.length === 0) console.log(whenEmpty);
  else for (const line of formatTable(columns, rows, terminalWidth())) console.log(line);
}

/** Prints one line for each member. */
export function printRecord(record: Readonly<Record<string, unknown>>): void {
  const width = Math.max(0, ...Object.keys(record).map((name) => name.length));
  for (const [name, value] of Object.entries(record)) {
    console.log(`${name.padEnd(width)}  ${formatCell(value as Cell)}`);
  }
}

/** Prints one line of JSON. Amounts of money are text already; what else is a bigint becomes text. */
export function printJson(value: unknown): void {
  console.log(
    JSON.stringify(value, (_name, member: unknown) =>
      typeof member === 'bigint' ? member.toString() : member,
    ),
  );
}
