/** Counts of what was planned and what was found. */
export interface Confusion {
  add(planned: string, found: string, example: string): void;
  /** The number of cells in which both differ. */
  wrong(): string[];
  /** A table: one line for each planned value. */
  describe(title: string): string;
}

export function createConfusion(): Confusion {
  const cells = new Map<string, Map<string, { count: number; example: string }>>();
  return {
    add(planned, found, example) {
      const row = cells.get(planned) ?? new Map<string, { count: number; example: string }>();
      cells.set(planned, row);
      const cell = row.get(found) ?? { count: 0, example };
      cell.count += 1;
      row.set(found, cell);
    },
    wrong: () =>
      [...cells].flatMap(([planned, row]) =>
        [...row].flatMap(([found, { count, example }]) =>
          found === planned ? [] : [`${count} planned ${planned}, found ${found} (such as ${example})`],
        ),
      ),
    describe(title) {
      const found = [...new Set([...cells.values()].flatMap((row) => [...row.keys()]))].sort();
      const planned = [...cells.keys()].sort();
      const width = Math.max(...planned.map(({ length }) => length), 7);
      const columns = found.map((name) => Math.max(name.length, 6));
      const line = (first: string, rest: readonly string[]): string =>
        [first.padEnd(width), ...rest.map((text, at) => text.padStart(columns[at] ?? 6))].join('  ');
      return [
        title,
        line('planned', found),
        ...planned.map((name) =>
          line(
            name,
            found.map((one) => String(cells.get(name)?.get(one)?.count ?? 0)),
          ),
        ),
      ].join('\n');
    },
  };
}
