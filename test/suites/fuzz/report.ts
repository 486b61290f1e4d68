import { growthBytes } from './memory';
import type { Failure, PartResult } from './run-part';
import type { SlowCase } from './slowest';

const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(1);

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const sorted = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([name, number]) => `${name} ${number}`)
    .join(', ');

/** A readable report of a part of a run. */
export function describePart(name: string, result: PartResult, slow: readonly SlowCase[]): string {
  const { cases, requests, seconds, failureCount, memory, resets } = result;
  const rows = slow
    .slice(0, 20)
    .map(({ index, kind, outcome, sentBytes, receivedBytes, elapsedMs }) => [
      String(index),
      elapsedMs.toFixed(2),
      String(sentBytes),
      String(receivedBytes),
      outcome.slice(0, 40),
      kind.slice(0, 60),
    ]);
  return [
    `${name}: ${cases} cases with ${requests} requests in ${Math.round(seconds)} s (${Math.round(cases / seconds)} a second): ${failureCount} failures`,
    `  mutations: ${sorted(result.kinds)}`,
    `  responses: ${sorted(result.outcomes)}`,
    `  connections reset: ${resets}`,
    `  memory after the first round ${megabytes(memory[0] ?? 0)} MiB, at the end ${megabytes(memory.at(-1) ?? 0)} MiB, growth after the warm-up ${megabytes(growthBytes(memory))} MiB`,
    '  the slowest, each sent again alone:',
    table([['index', 'ms', 'sent', 'received', 'response', 'kind'], ...rows]).replace(/^/gm, '    '),
  ].join('\n');
}

/** Readable bytes: JavaScript escapes, shortened when they are long. */
export function showBytes(bytes: Buffer, most = 1_500): string {
  const text = bytes
    .subarray(0, most)
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, (character) =>
      character === '\r'
        ? '\\r'
        : character === '\n'
          ? '\\n\n'
          : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
  const short = text.replace(
    /^(.*\n)\1{3,}/gm,
    (lines: string, line: string) => `${line}… (${lines.length / line.length} times)\n`,
  );
  return bytes.length > most ? `${short}… (${bytes.length} bytes)` : short;
}

/** A failure with everything that is needed to investigate it. */
export function describeFailure(
  part: string,
  seed: number,
  { index, kind, flaws, sent, received }: Failure,
): string {
  return [
    `FAILED ${part}, case ${index} (${kind}); again with: npm run test:suite fuzz -- --seed ${seed} --part ${part} --only ${index}`,
    ...flaws.map((flaw) => `  ${flaw}`),
    '  sent:',
    showBytes(sent).replace(/^/gm, '    '),
    '  received:',
    showBytes(received).replace(/^/gm, '    '),
  ].join('\n');
}
