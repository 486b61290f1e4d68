import { v7 as uuidv7 } from 'uuid';

import type { Database } from '../../db/pool/database';
import { DatabaseFailure } from '../../db/errors';
import { ReplyTimeout } from '../../db/pool/reply-timeout';
import { CompanyFrozen } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import { completeContributions, type CompleteContributionsRow } from './complete-contributions.query';
import type { ParsedTransactionId } from '../../shared/transaction-id';
import type {
  CompleteOutcome,
  Completion,
  CompletionFailure,
  CompletionInSetOutcome,
  Evidence,
  SingleCompleteOutcome,
} from './contribution';

export type Complete = (
  principal: Principal,
  id: ParsedTransactionId,
  evidence: Evidence,
) => Promise<SingleCompleteOutcome>;

/**
 * Completes contributions of one environment. It uses one transaction, unless one contribution has
 * to wait long.
 *
 * @param completions each id at most once, all with this tag
 * @returns the outcomes in the same order
 * @throws DatabaseFailure if all of them timed out, or if the whole database is unavailable
 * @throws CompanyFrozen
 */
export type CompleteSet = (
  principal: Principal,
  tag: string,
  completions: readonly Completion[],
  isDryRun: boolean,
) => Promise<CompletionInSetOutcome[]>;

/** The number of attempts to complete the only contribution of a set. */
const mostAttempts = 3;
/**
 * The maximum number of timeouts in one set. Finding one locked row among 500 costs 10 timeouts.
 * Each takes at least the lock timeout.
 */
const mostTimeouts = 24;
/** The number of consecutive failures of the server after which the rest of a set is not tried. */
const mostLosses = 3;

/** Completions that are tried together. */
interface Part {
  readonly completions: readonly Completion[];
  /** Whether an earlier attempt may have recorded them. */
  readonly isUncertain: boolean;
}

const halve = ({ completions, isUncertain }: Part): Part[] => {
  const middle = Math.ceil(completions.length / 2);
  const halves = [completions.slice(0, middle), completions.slice(middle)];
  return halves.flatMap((half) => (half.length > 0 ? [{ completions: half, isUncertain }] : []));
};

const fail = (
  { completions, isUncertain }: Part,
  failure: 'timed_out' | 'unreachable',
): CompletionFailure[] => completions.map(() => (isUncertain ? 'uncertain' : failure));

/**
 * Halves a set that PostgreSQL rolls back after a timeout or a deadlock. A locked row therefore
 * stops only its own completion, and a slow database gets smaller sets. If one server fails, the
 * same set is tried again. The retry then replays completions that were already recorded.
 *
 * @param complete repeats the completion of a contribution that a concurrent call has completed
 */
export function createCompleteSet(
  database: Pick<Database, 'run' | 'cluster'>,
  complete: Complete,
): CompleteSet {
  async function completeTogether(
    principal: Principal,
    tag: string,
    completions: readonly Completion[],
    isDryRun: boolean,
  ): Promise<CompleteOutcome[]> {
    const [row] = await database.run<CompleteContributionsRow>(completeContributions, [
      principal.environmentId,
      principal.apiKey,
      tag,
      completions.map(({ id }) => id.transactionId),
      completions.map(({ evidence }) => evidence.amountCents?.toString() ?? null),
      completions.map(({ evidence }) => evidence.bankReference ?? null),
      completions.map(({ evidence }) => evidence.valueDate ?? null),
      completions.map(() => uuidv7()),
      isDryRun,
    ]);
    if (row?.caller_is_live === null) throw new CompanyFrozen(principal.environmentKind);
    const outcomes: CompleteOutcome[] = [];
    for (const [at, { id, evidence }] of completions.entries()) {
      const outcome = row?.caller_is_live ? row.outcomes[at] : 'caller_not_live';
      if (outcome !== null && outcome !== undefined) outcomes.push(outcome);
      else outcomes.push(isDryRun ? 'replayed' : await completeAgain(principal, id, evidence));
    }
    return outcomes;
  }

  async function completeAgain(...call: Parameters<Complete>): Promise<CompleteOutcome> {
    const outcome = await complete(...call);
    return outcome === 'undone' || outcome === 'barred' ? 'replayed' : outcome;
  }

  return async (principal, tag, completions, isDryRun) => {
    const outcomes: CompletionInSetOutcome[] = [];
    const parts: Part[] = [{ completions, isUncertain: false }];
    let timeouts = 0;
    let losses = 0;
    for (let part = parts.shift(); part; part = parts.shift()) {
      try {
        outcomes.push(...(await completeTogether(principal, tag, part.completions, isDryRun)));
        losses = 0;
      } catch (error) {
        if (!(error instanceof DatabaseFailure)) throw error;
        const { reason, outcome, cause } = error;
        const failed = { ...part, isUncertain: part.isUncertain || (outcome === 'unknown' && !isDryRun) };
        if ((reason === 'timeout' || reason === 'conflict') && outcome === 'nothing') {
          timeouts += 1;
          if (timeouts < mostTimeouts && part.completions.length > 1) parts.unshift(...halve(failed));
          else if (timeouts < mostAttempts && completions.length === 1) parts.unshift(failed);
          else outcomes.push(...fail(failed, 'timed_out'));
          const isLast = parts.length === 0;
          if (isLast && outcomes.every((each) => each === 'timed_out')) throw error;
          continue;
        }
        if (!(await database.cluster?.isOfOneServer(error))) throw error;
        losses += 1;
        // The server hangs. Another attempt would wait as long.
        const hangs = cause instanceof ReplyTimeout;
        if (losses < mostLosses && !hangs)
          parts.unshift(...(reason === 'timeout' ? halve(failed) : [failed]));
        else return [...outcomes, ...[failed, ...parts].flatMap((each) => fail(each, 'unreachable'))];
      }
    }
    return outcomes;
  };
}
