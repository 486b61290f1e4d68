/** A value of an answer: a scalar, or a list of scalars. */
type Cell = string | number | boolean | bigint | Date | null | undefined | readonly (string | number)[];

/** A table's columns: the heading of each, and what stands under it. */
export type Columns<Row> = readonly (readonly [heading: string, cell: (row: Row) => Cell])[];

const narrowestColumn = 8;
const gap = '  ';

/** One line of text. What would move the cursor of a terminal is shown as a blank. */
export function formatCell(value: Cell): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z');
  if (Array.isArray(value)) return value.join(' ');
  return String(value).replace(/\p{Cc}+/gu, ' ');
}

const lengthOf = (text: string): number => Array.from(text).length;

function fit(text: string, width: number): string {
  const characters = Array.from(text);
  if (characters.length > width) return `${characters.slice(0, width - 1).join('')}…`;
  return text + ' '.repeat(width - characters.length);
}

/** Takes from the widest column first, as long as the table is wider than the terminal. */
function fitWidths(widths: readonly number[], available: number): number[] {
  const fitted = [...widths];
  const total = (): number => fitted.reduce((sum, width) => sum + width, gap.length * (fitted.length - 1));
  while (total() > available) {
    const widest = Math.max(...fitted);
    if (widest <= narrowestColumn) break;
    fitted[fitted.lastIndexOf(widest)] = widest - 1;
  }
  return fitted;
}

/**
 * A table with a heading, as lines.
 *
 * @param available how many characters a line may have; undefined where nothing is cut, as in a file or a pipe
 */
export function formatTable<Row>(
  columns: Columns<Row>,
  rows: readonly Row[],
  available: number | undefined,
): string[] {
  const lines = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, cell]) => formatCell(cell(row)))),
  ];
  const natural = columns.map((_column, index) =>
    Math.max(...lines.map((line) => lengthOf(line[index] ?? ''))),
  );
  const widths = available === undefined ? natural : fitWidths(natural, available);
  return lines.map((line) =>
    line
      .map((text, index) => fit(text, widths[index] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

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
