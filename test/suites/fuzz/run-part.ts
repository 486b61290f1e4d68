import { type Exchange, type FuzzCase } from './cases/case';
import type { Generator } from './cases/generate';
import type { Ledger } from './ledger';
import type { Judge } from './oracle/judge';
import { Slowest } from './slowest';

/** One half of a run: against the service in this process, or over TCP. */
export interface Part {
  readonly name: string;
  readonly count: number;
  readonly concurrency: number;
  readonly generate: Generator;
  readonly exchange: Exchange;
  readonly judge: Judge;
  readonly ledger: Ledger;
  /** Memory of the service, in bytes. */
  readonly residentBytes: () => Promise<number>;
  /** The service's error log lines so far, for the report of a failure. */
  readonly errorLines: () => readonly string[];
  readonly onProgress: (line: string) => void;
}

/** A failed case. */
export interface Failure {
  readonly index: number;
  readonly kind: string;
  readonly flaws: readonly string[];
  readonly sent: Buffer;
  readonly received: Buffer;
}

export interface PartResult {
  readonly cases: number;
  readonly requests: number;
  readonly seconds: number;
  readonly failures: readonly Failure[];
  readonly failureCount: number;
  readonly outcomes: ReadonlyMap<string, number>;
  readonly kinds: ReadonlyMap<string, number>;
  readonly resets: number;
  /** One for each round, in bytes. */
  readonly memory: readonly number[];
  readonly slowest: Slowest;
}

/** Between two rounds, when nothing is in progress, memory is measured and the money is checked. */
const roundsOf = (count: number): number => Math.min(50, Math.max(10, Math.floor(count / 2_000)));
const mostFailures = 25;

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/**
 * Sends all cases of a part, some concurrently, and judges each. Stops early after too many
 * failures.
 */
export async function runPart(part: Part): Promise<PartResult> {
  const startedAt = performance.now();
  const failures: Failure[] = [];
  const outcomes = new Map<string, number>();
  const kinds = new Map<string, number>();
  const memory: number[] = [];
  const slowest = new Slowest();
  let [cases, requests, resets, failureCount, next] = [0, 0, 0, 0, 0];

  function fail(failure: Failure): void {
    failureCount += 1;
    if (failures.length < mostFailures) failures.push(failure);
    part.onProgress(`${part.name}: case ${failure.index} failed: ${failure.flaws.join('; ')}`);
  }

  async function play(fuzzCase: FuzzCase): Promise<void> {
    const transcript = await part.exchange(fuzzCase);
    const { responses, outcomes: found, flaws } = part.judge(fuzzCase, transcript);
    const { index, kind, bytes: sent } = fuzzCase;
    cases += 1;
    requests += Math.max(1, fuzzCase.requests.length);
    if (transcript.wasReset) resets += 1;
    for (const name of kind.replace(/:.*/, '').split('+')) count(kinds, name);
    for (const outcome of found) count(outcomes, outcome);
    if (found.length === 0) count(outcomes, 'closed without a response');
    for (const response of responses) part.ledger.note(response);
    slowest.note({
      index,
      kind,
      outcome: found.join(' '),
      sentBytes: sent.length,
      receivedBytes: transcript.bytes.length,
      elapsedMs: transcript.elapsedMs,
    });
    if (flaws.length > 0) fail({ index, kind, flaws, sent, received: transcript.bytes });
  }

  const rounds = roundsOf(part.count);
  for (let round = 1; round <= rounds && failureCount < mostFailures; round += 1) {
    const end = Math.floor((part.count * round) / rounds);
    const worker = async (): Promise<void> => {
      while (next < end && failureCount < mostFailures) {
        const index = next;
        next += 1;
        await play(part.generate(index));
      }
    };
    await Promise.all(Array.from({ length: part.concurrency }, worker));
    for (const flaw of await part.ledger.check()) {
      fail({ index: end, kind: 'money', flaws: [flaw], sent: Buffer.alloc(0), received: Buffer.alloc(0) });
    }
    memory.push(await part.residentBytes());
    if (round % Math.ceil(rounds / 10) === 0) {
      const perSecond = Math.round(cases / ((performance.now() - startedAt) / 1000));
      part.onProgress(
        `${part.name}: ${cases} of ${part.count} cases, ${perSecond} a second, ${failureCount} failures`,
      );
    }
  }
  return {
    cases,
    requests,
    seconds: (performance.now() - startedAt) / 1000,
    failures,
    failureCount,
    outcomes,
    kinds,
    resets,
    memory,
    slowest,
  };
}
