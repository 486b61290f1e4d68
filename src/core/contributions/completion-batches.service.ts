import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Upload } from '../../http/request/upload';
import type { Lines } from '../../http/endpoint';
import { defaultDetail } from '../../http/errors/error-catalog';
import { ServiceError } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import { createBatchSlots } from './batch-slots';
import { longestBatchMs, type OutcomeLine, type SummaryLine } from './complete-contributions.contract';
import { checkFile, type CompletionLine, readCompletionLines } from './completion-lines';
import { type CompletionFailure, type CompletionInSetOutcome, isCompletionFailure } from './contribution';
import { completeRefusals } from './contributions.service';
import type { ContributionsStore } from './contributions.store';

export type CompletionBatches = ReturnType<typeof createCompletionBatches>;

/** The number of completions in one database transaction. */
const mostInSet = 500;
/**
 * The number of lines to read ahead. Among many lines, those of the same company fill larger sets.
 */
const mostInWindow = 2_000;
/** The number of lines to read in one turn of the event loop. */
const linesPerTurn = 50;

export function createCompletionBatches(store: Pick<ContributionsStore, 'completeSet'>) {
  const slots = createBatchSlots();
  return {
    /**
     * Completes the lines of a file. Each line has the effect of a single completion.
     *
     * @returns the response as NDJSON in parts; a part is processed only when the caller requests
     *   it
     * @throws ServiceError malformed_body, body_too_large; rate_limited and overloaded while other
     *   files are in progress
     */
    async *complete(principal: Principal, upload: Upload, isDryRun: boolean): Lines {
      const release = slots.take(principal);
      try {
        checkFile(upload);
        const batch = new Batch(store, principal, isDryRun);
        for await (const window of windowsOf(readCompletionLines(upload))) yield* batch.complete(window);
        yield batch.summary(hash('sha256', upload.bytes, 'hex'));
      } finally {
        release();
      }
    },
  };
}

/**
 * Groups lines into windows. A window contains each id once. A second line with the same id must
 * see the result of the first, so it starts another window.
 */
async function* windowsOf(lines: Iterable<CompletionLine>): AsyncGenerator<CompletionLine[], void> {
  let window: CompletionLine[] = [];
  const ids = new Set<string>();
  let read = 0;
  for (const line of lines) {
    const id = 'id' in line ? line.id.transactionId : undefined;
    if (window.length >= mostInWindow || (id !== undefined && ids.has(id))) {
      yield window;
      window = [];
      ids.clear();
    }
    window.push(line);
    if (id !== undefined) ids.add(id);
    read += 1;
    if (read % linesPerTurn === 0) await nextTurn();
  }
  yield window;
}

type Completable = Extract<CompletionLine, { id: unknown }>;

/** Groups a window into sets of one environment each. */
function setsOf(window: readonly CompletionLine[]): { tag: string; places: number[] }[] {
  const sets: { tag: string; places: number[] }[] = [];
  const open = new Map<string, number[]>();
  for (const [place, line] of window.entries()) {
    if (!('id' in line)) continue;
    const { tag } = line.id;
    let places = open.get(tag);
    if (!places || places.length >= mostInSet) {
      places = [];
      open.set(tag, places);
      sets.push({ tag, places });
    }
    places.push(place);
  }
  return sets;
}

/** The counts of one file so far. */
class Batch {
  private readonly counts = { lines: 0, completed: 0, replayed: 0, refused: 0, unknown: 0 };
  /** Tags of environments whose server does not respond. Their remaining lines are not tried. */
  private readonly unreachableTags = new Set<string>();
  /** In a dry run, the contributions that an earlier line would have completed. */
  private readonly wouldComplete = new Set<string>();
  private readonly deadline = performance.now() + longestBatchMs;

  constructor(
    private readonly store: Pick<ContributionsStore, 'completeSet'>,
    private readonly principal: Principal,
    private readonly isDryRun: boolean,
  ) {}

  /**
   * Completes a window set by set. Yields the outcomes in the order of the lines, as soon as
   * possible.
   */
  async *complete(window: readonly CompletionLine[]): Lines {
    const outcomes = new Map<number, CompletionInSetOutcome>();
    let next = 0;
    const takeKnown = (): string => {
      let text = '';
      for (; next < window.length; next += 1) {
        const line = window[next];
        const outcome = outcomes.get(next);
        if (!line || ('id' in line && outcome === undefined)) break;
        text += `${JSON.stringify(this.present(line, outcome))}\n`;
      }
      return text;
    };
    for (const { tag, places } of setsOf(window)) {
      if (performance.now() > this.deadline) throw new Error('the file takes too long');
      const results = await this.completeSet(
        tag,
        places.map((place) => window[place] as Completable),
      );
      for (const [at, place] of places.entries()) outcomes.set(place, results[at] ?? 'unknown');
      const text = takeKnown();
      if (text !== '') yield text;
    }
    const rest = takeKnown();
    if (rest !== '') yield rest;
  }

  private async completeSet(
    tag: string,
    completions: readonly Completable[],
  ): Promise<CompletionInSetOutcome[]> {
    if (this.unreachableTags.has(tag)) return completions.map(() => 'unreachable');
    const outcomes = await this.store.completeSet(this.principal, tag, completions, this.isDryRun);
    const last = outcomes.at(-1);
    if (last === 'unreachable' || last === 'uncertain') this.unreachableTags.add(tag);
    return outcomes;
  }

  summary(sha256: string): string {
    const line: SummaryLine = { summary: { ...this.counts, sha256 } };
    return `${JSON.stringify(line)}\n`;
  }

  private present(line: CompletionLine, outcome: CompletionInSetOutcome | undefined): OutcomeLine {
    this.counts.lines += 1;
    if ('id' in line && (outcome === 'completed' || outcome === 'replayed')) {
      const reported = this.reported(line.id.transactionId, outcome);
      this.counts[reported] += 1;
      return {
        line: line.line,
        transaction_id: line.writtenId,
        outcome: reported,
        code: null,
        detail: null,
      };
    }
    const reported = outcome === 'uncertain' ? 'unknown' : 'refused';
    this.counts[reported] += 1;
    return withReason(line, reported, 'id' in line ? refusalOf(outcome) : line.refusal);
  }

  private reported(id: string, outcome: 'completed' | 'replayed'): 'completed' | 'replayed' {
    if (!this.isDryRun || outcome === 'replayed') return outcome;
    if (this.wouldComplete.has(id)) return 'replayed';
    this.wouldComplete.add(id);
    return 'completed';
  }
}

const failures: Record<CompletionFailure, () => ServiceError> = {
  timed_out: () => new ServiceError('database_timeout', { detail: defaultDetail('database_timeout') }),
  unreachable: () =>
    new ServiceError('database_unavailable', {
      detail:
        'The service cannot reach the data of this company. Nothing changed. Send the line again later.',
    }),
  uncertain: () =>
    new ServiceError('database_unavailable', {
      detail:
        'The service lost the data of this company while it completed the contribution, which may or may not be completed. Send the line again.',
    }),
};

function refusalOf(outcome: CompletionInSetOutcome | undefined): ServiceError {
  if (outcome === undefined || outcome === 'completed' || outcome === 'replayed')
    throw new Error('the line was not refused');
  return isCompletionFailure(outcome) ? failures[outcome]() : completeRefusals[outcome]();
}

function withReason(
  { line, writtenId }: CompletionLine,
  outcome: 'refused' | 'unknown',
  refusal: ServiceError,
): OutcomeLine {
  const errors = refusal.errors.flatMap((error) => ('pointer' in error ? [error] : []));
  return {
    line,
    transaction_id: writtenId,
    outcome,
    code: refusal.code,
    detail: refusal.message,
    ...(errors.length > 0 && { errors }),
  };
}
