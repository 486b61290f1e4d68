import type { Comparison, Runner } from './comparison';
import type { OpenLoopResult } from './load/job';
import { mostRefused } from './measure/round';
import { median } from './measure/statistics';
import { inOrderOf } from './measure/turns';
import type { Operation, RequestSpec } from './operations';
import type { FixedRate, ProgramResult } from './results';

const rounds = 3;
const warmUpSeconds = 1;

/** Share of the median throughput of the slowest program, except (b). */
const shareOfSlowest = 0.5;
const isBuiltSlow = (name: string): boolean => name === 'express-usual';

/**
 * Measures latency at a rate that all programs can serve, and stores it in their results.
 *
 * @param results of the runners, in the same order
 * @returns the rounds that are invalid, with reasons
 */
export async function measureAtFixedRate(
  { options, openLoop }: Comparison,
  operation: Operation,
  runners: readonly Runner[],
  results: readonly ProgramResult[],
  requests: (seconds: number) => Promise<readonly RequestSpec[]>,
): Promise<string[]> {
  const rates = results
    .filter(({ name }) => !isBuiltSlow(name))
    .map((result) => result.requestsPerSecond.median);
  const requestsPerSecond = Math.max(1, Math.floor(Math.min(...rates) * shareOfSlowest));
  const measured = runners.flatMap(({ program }, place) => {
    const result = results[place];
    const keepsUp =
      result && !(isBuiltSlow(result.name) && result.requestsPerSecond.median * 0.8 < requestsPerSecond);
    return keepsUp ? [{ program, result, found: [] as OpenLoopResult[] }] : [];
  });
  const secondsOfRound = Math.max(1, options.seconds / rounds);
  for (let round = 0; round < rounds; round += 1) {
    for (const { program, found } of inOrderOf(round, measured)) {
      const run = async (seconds: number): Promise<OpenLoopResult> =>
        openLoop.run({
          url: program.url,
          seconds,
          connections: 4 * options.connections,
          requests: await requests(seconds),
          once: operation.once,
          requestsPerSecond,
        });
      await program.whileRunning(async () => {
        await run(warmUpSeconds);
        found.push(await run(secondsOfRound));
      });
    }
  }
  const skipped: string[] = [];
  for (const { result, found } of measured) {
    const latencies = summarizeRounds(requestsPerSecond, found);
    if (typeof latencies === 'string') skipped.push(`${result.title} at a fixed rate: ${latencies}`);
    else result.atFixedRate = latencies;
  }
  return skipped;
}

/** @returns the reason if a round is invalid */
function summarizeRounds(requestsPerSecond: number, found: readonly OpenLoopResult[]): FixedRate | string {
  const counts = found.map(({ sinceDue, due, errors }) => {
    const succeeded = sinceDue['200'] ?? sinceDue['201'];
    return { succeeded, refused: due - errors - (succeeded?.count ?? 0), due, errors };
  });
  const isMeasurement = counts.every(
    ({ succeeded, refused, errors }) => succeeded && errors === 0 && refused <= succeeded.count * mostRefused,
  );
  if (!isMeasurement) {
    return counts
      .map(({ refused, errors, due }) => `${refused} rejected and ${errors} failed of ${due}`)
      .join(', ');
  }
  const medianOf = (what: 'p50' | 'p99'): number =>
    median(counts.map(({ succeeded }) => succeeded?.[what] ?? NaN));
  return {
    requestsPerSecond,
    p50: medianOf('p50'),
    p99: medianOf('p99'),
    refused: counts.reduce((sum, { refused }) => sum + refused, 0),
    rounds: [...found],
  };
}
