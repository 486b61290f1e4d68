import { type Cell, cells, impossibility, type Table, type TableName, tables } from './cells';
import type { Visits } from './visits';

const letters = 'abcdefghijklmnopqrstuvwxyz';

function block(name: TableName, table: Table, visits: Visits): string[] {
  const counted = (cell: Cell): string =>
    impossibility(cell) === undefined ? String(visits.count(cell)) : '·';
  const rows = table.operations.flatMap((operation) =>
    table.principals.map((principal, index) => [
      index === 0 ? operation : '',
      principal,
      ...table.states.map((state) => counted({ table: name, operation, state, principal })),
    ]),
  );
  const head = ['', '', ...table.states.map((_state, index) => letters.charAt(index))];
  const widths = head.map((_cell, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((text, column) => (column < 2 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)))
      .join('  ');
  return [
    '',
    `${table.title}:`,
    ...table.states.map((state, index) => `  ${letters.charAt(index)} = ${state}`),
    ...[head, ...rows].map((row) => `  ${line(row)}`.trimEnd()),
  ];
}

/** How often each cell was visited; a dot is a cell that cannot be, and the reasons stand below. */
export function visitTable(visits: Visits): string {
  const reasons = new Map<string, number>();
  for (const cell of cells) {
    const reason = impossibility(cell);
    if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return [
    ...Object.entries(tables).flatMap(([name, table]) => block(name as TableName, table, visits)),
    '',
    'Cells that cannot be (·):',
    ...[...reasons].map(([reason, count]) => `  ${String(count).padStart(3)}  ${reason}`),
    '',
  ].join('\n');
}
