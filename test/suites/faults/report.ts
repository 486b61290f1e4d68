import type { Journal, Violation } from './journal/journal';
import type { KindResult } from './run';
import type { LoadWorld } from './load-world';

const kindsOfViolation: Violation['kind'][] = ['lost', 'doubled', 'illegal', 'unexplained'];

const at = (sorted: readonly number[], share: number): number | undefined =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const text = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '' : `${milliseconds} ms`;

/** The run as a readable table. */
export function describeRun(
  results: ReadonlyMap<string, KindResult>,
  journal: Journal,
  seconds: number,
  { readers, receivers }: Pick<LoadWorld, 'readers' | 'receivers'>,
): string {
  const rows = [['fault', 'injected', 'affected requests', 'first write after: median', 'slowest']];
  const skipped: string[] = [];
  for (const [name, { injected, disturbed, recoveriesMs, skipped: reason }] of results) {
    if (reason !== undefined) {
      skipped.push(`skipped: ${name}: ${reason}`);
      continue;
    }
    const sorted = recoveriesMs.toSorted((a, b) => a - b);
    rows.push([name, String(injected), String(disturbed), text(at(sorted, 0.5)), text(sorted.at(-1))]);
  }
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const table = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
  const { counts, violations } = journal;
  const found = kindsOfViolation.map(
    (kind) => `${kind} ${violations.filter((one) => one.kind === kind).length}`,
  );
  const total = [...results.values()].reduce((sum, { injected }) => sum + injected, 0);
  return [
    ...table,
    ...skipped,
    '',
    `${total} faults in ${Math.round(seconds)} s`,
    `${counts.mutatingRequests} mutating requests: ${counts.creates} creates (${counts.acknowledgedCreates} acknowledged), ${counts.completions} completions (${counts.acknowledgedCompletions} acknowledged), ${counts.corrections} corrections`,
    `${counts.replayedResponses} responses replayed, ${counts.unanswered} requests without a response, ${counts.retryableErrors} told to retry, ${counts.unknownOutcomes} told that the outcome is unknown`,
    `${readers.eventCount()} events read from the feeds, in order, and compared with the database`,
    `${receivers.acceptedCount()} events delivered, in order per contribution, and compared with the feeds; ${receivers.repeatCount()} repeats with the same id`,
    found.join(', '),
  ].join('\n');
}
