import type { CallerName, Expectation } from './rules';

/** The outcomes as a table for people: a line for each caller, a column for each operation. */
export function cellTable(
  outcomesByCaller: ReadonlyMap<CallerName, ReadonlyMap<string, Expectation[]>>,
): string {
  const callers = [...outcomesByCaller.keys()];
  const operations = [...new Set([...outcomesByCaller.values()].flatMap((outcomes) => [...outcomes.keys()]))];
  const codes = new Map<string, string>();

  /** Shortens 404 transaction_not_found to 404a, with a legend below the table. */
  function short(outcome: Expectation): string {
    const [status = '', code] = outcome.split(' ');
    if (code === undefined) return status;
    const letter = codes.get(code) ?? String.fromCharCode(97 + codes.size);
    codes.set(code, letter);
    return status + letter;
  }

  const width = Math.max(...callers.map((name) => name.length)) + 2;
  const line = (head: string, cells: string[]): string =>
    head.padEnd(width) + cells.map((cell) => cell.padEnd(10)).join('');
  const rows = callers.map((caller) =>
    line(
      caller,
      operations.map((operation) =>
        [...new Set(outcomesByCaller.get(caller)?.get(operation) ?? ['-'])].map(short).join('/'),
      ),
    ),
  );
  return [
    ...operations.map((operation, index) => `${String(index + 1).padStart(2)} ${operation}`),
    '',
    line(
      '',
      operations.map((_operation, index) => String(index + 1)),
    ),
    ...rows,
    '',
    ...[...codes].map(([code, letter]) => `${letter} ${code}`),
  ].join('\n');
}
