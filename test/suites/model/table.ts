/**
 * A table as text, with numbers aligned to the right.
 *
 * @param rows the head of each row, and its cells
 */
export function formatTable(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly [head: string, cells: readonly string[]])[],
): string {
  const headWidth = Math.max(...rows.map(([head]) => head.length));
  const widths = columns.map((column, place) =>
    Math.max(column.length, ...rows.map(([, cells]) => cells[place]?.length ?? 0)),
  );
  const line = (head: string, cells: readonly string[]): string =>
    [head.padEnd(headWidth), ...cells.map((cell, place) => cell.padStart(widths[place] ?? 0))].join('  ');
  return [title, line('', columns), ...rows.map(([head, cells]) => line(head, cells))].join('\n');
}
