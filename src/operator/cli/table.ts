import { type Cell, formatCell } from './cell';
import { apply, type Style } from './style';

/**
 * How to shrink a column when the table is wider than the terminal. `whole` never changes, for
 * values that people copy; `wrap` continues in the next line, for sentences; `cut` is truncated.
 */
export type ColumnWidth = 'whole' | 'wrap' | 'cut';

/** A table's columns, most important first. `width` is `cut` by default. */
export type Columns<Row> = readonly (readonly [
  heading: string,
  cell: (row: Row) => Cell,
  width?: ColumnWidth | undefined,
  style?: ((row: Row) => Style | undefined) | undefined,
])[];

const narrowestCut = 12;
const narrowestWrap = 18;
const gap = '  ';

const lengthOf = (text: string): number => Array.from(text).length;

interface Layout {
  heading: string;
  cells: string[];
  width: number;
  narrowest: number;
}

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));

function layOut<Row>([heading, cell, kind = 'cut']: Columns<Row>[number], rows: readonly Row[]): Layout {
  const cells = rows.map((row) => formatCell(cell(row)));
  const width = Math.max(lengthOf(heading), ...cells.map(lengthOf));
  const narrowest = { whole: width, wrap: narrowestWrap, cut: narrowestCut }[kind];
  return { heading, cells, width, narrowest: Math.min(width, narrowest) };
}

/** Shrinks the widest column that can shrink, until the table fits. */
function narrow(columns: readonly Layout[], available: number): Layout[] {
  const narrowed = columns.map((column) => ({ ...column }));
  while (totalOf(narrowed.map(({ width }) => width)) > available) {
    const [widest] = narrowed
      .filter(({ width, narrowest }) => width > narrowest)
      .sort((one, other) => other.width - one.width);
    if (!widest) break;
    widest.width -= 1;
  }
  return narrowed;
}

/** Keeps as many of the first columns as fit at their narrowest width, and at least one. */
function columnsThatFit(columns: readonly Layout[], available: number): Layout[] {
  let count = columns.length;
  while (count > 1 && totalOf(columns.slice(0, count).map(({ narrowest }) => narrowest)) > available)
    count -= 1;
  return columns.slice(0, count);
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? word : `${line} ${word}`;
    if (lengthOf(longer) <= width) lines[lines.length - 1] = longer;
    else {
      const characters = Array.from(word);
      const pieces = Array.from({ length: Math.ceil(characters.length / width) }, (_, index) =>
        characters.slice(index * width, (index + 1) * width).join(''),
      );
      if (line === '') lines.pop();
      lines.push(...pieces);
    }
  }
  return lines;
}

function cut(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length > width ? `${characters.slice(0, width - 1).join('')}…` : text;
}

/** Formats one row as one or more lines. Padding is not styled. */
function formatRow(
  cells: readonly (readonly string[])[],
  widths: readonly number[],
  styleOf: (column: number) => Style | undefined,
): string[] {
  return Array.from({ length: Math.max(...cells.map((lines) => lines.length)) }, (_, index) =>
    cells
      .map((lines, column) => {
        const text = lines[index] ?? '';
        const style = styleOf(column);
        const shown = style === undefined || text === '' ? text : apply(style, text);
        return shown + ' '.repeat(Math.max(0, (widths[column] ?? 0) - lengthOf(text)));
      })
      .join(gap)
      .trimEnd(),
  );
}

/**
 * Formats a table with headings. If the last columns do not fit, omits them and names them in a
 * final line. cli-table3 neither fits columns to a terminal nor omits any.
 *
 * @param available the width of the terminal in characters; undefined for a file or a pipe, where
 *   nothing is cut
 * @param hasColor whether headings and cells are styled
 */
export function formatTable<Row>(
  columns: Columns<Row>,
  rows: readonly Row[],
  available: number | undefined,
  hasColor = false,
): string[] {
  const all = columns.map((column) => layOut(column, rows));
  const shown = available === undefined ? all : narrow(columnsThatFit(all, available), available);
  const widths = shown.map(({ width }) => width);
  const isWrapped = columns.map(([, , kind]) => kind === 'wrap');
  const format = (texts: readonly string[], styleOf: (column: number) => Style | undefined): string[] =>
    formatRow(
      texts.map((text, index) => {
        const width = widths[index] ?? 0;
        return isWrapped[index] ? wrap(text, width) : [cut(text, width)];
      }),
      widths,
      hasColor ? styleOf : () => undefined,
    );
  const lines = [
    ...format(
      shown.map(({ heading }) => heading),
      () => 'bold',
    ),
    ...rows.flatMap((row, index) =>
      format(
        shown.map(({ cells }) => cells[index] ?? ''),
        (column) => columns[column]?.[3]?.(row),
      ),
    ),
  ];
  const hidden = all.slice(shown.length).map(({ heading }) => heading);
  return hidden.length === 0 || available === undefined
    ? lines
    : [...lines, ...wrap(`(no space for ${hidden.join(', ')}; --json shows all)`, available)];
}
