import type { OperationResult, OverloadResult } from '../results';

/** Rows of cells as text, the first column to the left and the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export const number = (value: number | null | undefined, digits = 0): string =>
  value === null || value === undefined || !Number.isFinite(value) ? '–' : value.toFixed(digits);

export const tableHead = [
  'program',
  'pool',
  'requests/s',
  'from–to',
  'service ÷ program',
  'p50 ms',
  'Node ms/request',
  'PostgreSQL ms/request',
  'p50 at fixed rate',
  'p99 at fixed rate',
];

/** One operation, a row for each program, the service first. */
export function operationRows({ programs }: OperationResult): string[][] {
  const ours = programs[0]?.requestsPerSecond.median ?? NaN;
  return programs.map((program) => [
    program.title,
    program.poolSize === null ? '–' : String(program.poolSize),
    number(program.requestsPerSecond.median),
    `${number(program.requestsPerSecond.minimum)}–${number(program.requestsPerSecond.maximum)}`,
    number(ours / program.requestsPerSecond.median, 2),
    number(program.p50.median, 2),
    number(program.nodeMilliseconds, 3),
    number(program.postgresMilliseconds, 3),
    number(program.atFixedRate?.p50, 2),
    number(program.atFixedRate?.p99, 2),
  ]);
}

/** Programs that rejected some of the counted requests. */
export function refusals({ programs }: OperationResult): string[] {
  return programs.flatMap(({ title, rounds, atFixedRate }) => {
    const refused = rounds.reduce((sum, round) => sum + round.refused, 0);
    const said = (count: number, where: string): string[] =>
      count === 0 ? [] : [`${title} rejected ${count} requests ${where}`];
    return [
      ...said(refused, `in ${rounds.length} rounds`),
      ...said(atFixedRate?.refused ?? 0, 'at the fixed rate'),
    ];
  });
}

/** Marks a target that the rounds cannot decide. */
export const overlap = (rangesOverlap: boolean): string => (rangesOverlap ? ', ranges overlap' : '');

/** Everything about one operation for a terminal. */
export function operationText(operation: OperationResult): string {
  const { title, targets, skipped } = operation;
  return [
    title,
    table([tableHead, ...operationRows(operation)]),
    ...targets.map(
      ({ text, ratio, isMet, rangesOverlap }) =>
        `${isMet ? 'met    ' : 'NOT MET'}  ${text}: ${number(ratio, 2)}${overlap(rangesOverlap)}`,
    ),
    ...refusals(operation),
    ...skipped.map((reason) => `skipped  ${reason}`),
  ].join('\n');
}

export const runsHead = ['reads per second', 'peak before', 'sent', 'succeeded', 'peak after'];

/** Requests sent and succeeded under overload, one row per load. */
export const runRows = ({ runs }: OverloadResult): string[][] =>
  runs.map(({ title, peakBefore, peakAfter, requestsPerSecond, reads }) => [
    title,
    number(peakBefore),
    number(requestsPerSecond),
    number((reads.sinceDue['200']?.count ?? 0) / reads.seconds),
    number(peakAfter),
  ]);

/** Everything about overload for a terminal. */
export function overloadText(result: OverloadResult): string {
  const { machine, targets, processes } = result;
  return [
    table([runsHead, ...runRows(result)]),
    table([
      ['target', 'found', ''],
      ...targets.map(({ text, value, isMet }) => [text, number(value, 2), isMet ? 'met' : 'NOT MET']),
    ]),
    `requests per second with 1 and 2 processes: ${number(processes['1'])}, ${number(processes['2'])}, on ${machine.processors}`,
  ].join('\n\n');
}
