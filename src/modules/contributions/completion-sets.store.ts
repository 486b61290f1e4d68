import { v7 as uuidv7 } from 'uuid';

import type { Database } from '../../db/pool/database';
import { DatabaseFailure } from '../../db/errors';
import type { Principal } from '../../shared/scopes';
import { completeContributions, type CompleteContributionsRow } from './complete-contributions.statement';
import type { ParsedTransactionId } from '../../shared/transaction-id';
import type { CompleteOutcome, Completion, CompletionInSetOutcome, Evidence } from './contribution';

export type Complete = (
  principal: Principal,
  id: ParsedTransactionId,
  evidence: Evidence,
) => Promise<CompleteOutcome>;

/**
 * Completes contributions of one environment, in one transaction unless one has to wait long.
 *
 * @param completions each id at most once, all with this tag
 * @returns the outcomes in the same order
 * @throws DatabaseFailure if all of them timed out, or if an outcome is unknown
 */
export type CompleteSet = (
  principal: Principal,
  tag: string,
  completions: readonly Completion[],
  isDryRun: boolean,
) => Promise<CompletionInSetOutcome[]>;

/** Attempts to complete the only contribution of a set. */
const mostAttempts = 3;
/**
 * Timeouts of one set. Finding one locked row among 500 costs 10 of them. Each takes at least the
 * lock timeout.
 */
const mostTimeouts = 24;

const isRolledBack = (error: unknown): boolean =>
  error instanceof DatabaseFailure && error.reason === 'timeout';

/**
 * A set that PostgreSQL rolls back, after a timeout or a deadlock, is halved. A row that another
 * transaction locks therefore stops only its own completion, and a slow database gets smaller sets.
 *
 * @param complete repeats the completion of a contribution that a concurrent call has completed
 */
export function createCompleteSet(database: Pick<Database, 'run'>, complete: Complete): CompleteSet {
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
    const outcomes: CompleteOutcome[] = [];
    for (const [at, { id, evidence }] of completions.entries()) {
      const outcome = row?.caller_is_live ? row.outcomes[at] : 'caller_not_live';
      outcomes.push(outcome ?? (isDryRun ? 'replayed' : await complete(principal, id, evidence)));
    }
    return outcomes;
  }

  return async (principal, tag, completions, isDryRun) => {
    const outcomes: CompletionInSetOutcome[] = [];
    const parts = [completions];
    let timeouts = 0;
    for (let part = parts.shift(); part; part = parts.shift()) {
      try {
        outcomes.push(...(await completeTogether(principal, tag, part, isDryRun)));
      } catch (error) {
        if (!isRolledBack(error)) throw error;
        timeouts += 1;
        const middle = Math.ceil(part.length / 2);
        if (timeouts < mostTimeouts && part.length > 1)
          parts.unshift(part.slice(0, middle), part.slice(middle));
        else if (timeouts < mostAttempts && completions.length === 1) parts.unshift(part);
        else outcomes.push(...part.map(() => 'timed_out' as const));
        const isLast = parts.length === 0;
        if (isLast && outcomes.every((outcome) => outcome === 'timed_out')) throw error;
      }
    }
    return outcomes;
  };
}
