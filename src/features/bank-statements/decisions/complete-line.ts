import type { Completion } from '../../../core/contributions/contribution';
import type { ContributionsService } from '../../../core/contributions/contributions.service';
import { readTransactionId } from '../../../core/contributions/written-transaction-id';
import { ServiceError } from '../../../shared/errors';
import type { Principal } from '../../../shared/scopes';
import { mostCompletions } from './line-decisions.contract';
import { completeAll } from './given-decisions';
import type { CompletionOutcome, DecidableLine } from './line-decision';
import type { LineDecisionsStore, NewDecision } from './line-decisions.store';

export interface CompleteDependencies {
  store: LineDecisionsStore;
  contributions: Pick<ContributionsService, 'complete' | 'findRefused'>;
}

/** The contributions that a line pays for sure. @throws ServiceError scope_missing */
function completionsOf(principal: Principal, line: DecidableLine): Completion[] {
  if (!principal.scopes.includes('contributions:complete')) {
    throw new ServiceError('scope_missing', {
      detail: 'This key pair lacks the scope contributions:complete. Use a pair that has it.',
    });
  }
  const paid = line.allocations.filter(({ kind, state }) => kind === 'payment' && state === 'confirmed');
  return paid.map(({ transactionId, amountCents }) => ({
    id: readTransactionId(transactionId),
    evidence: { amountCents, bankReference: line.reference ?? undefined, valueDate: line.bookedOn },
  }));
}

/**
 * Completes the contributions that a line pays. The decision is appended before the first
 * completion. If the process stops between two completions, a repeat completes the rest. A void
 * comes before the decision, which is refused, or after it, which is stated.
 *
 * @throws ServiceError scope_missing, and the errors of a completion
 */
export async function completeLine(
  { store, contributions }: CompleteDependencies,
  principal: Principal,
  line: DecidableLine,
  decision: NewDecision,
): Promise<CompletionOutcome> {
  const { environmentId, apiKey } = principal;
  const { entryId, newestDecision } = line;
  const completions = completionsOf(principal, line);
  if (line.isPending) return 'pending';
  const same = await store.findSame(environmentId, entryId, decision);
  if (same !== undefined && same < newestDecision) return 'superseded';
  if (completions.length === 0) return 'pays_nothing';
  if (completions.length > mostCompletions) return 'too_many_completions';
  const refused = await contributions.findRefused(principal, completions);
  // This throws the refusal, and records the attempt.
  if (refused) await completeAll(contributions, principal, [refused]);
  const seen = decision.seen ?? newestDecision;
  const outcome = await store.appendOne(environmentId, apiKey, {
    ...{ entryId, line, decision: { ...decision, seen } },
  });
  if (outcome !== 'decided' && outcome !== 'same') return outcome;
  await completeAll(contributions, principal, completions);
  const [newest] = await store.list(environmentId, entryId);
  const [now] = await store.lines(environmentId, [entryId]);
  const isSame = newest?.action === 'complete' && now?.isChanged === false;
  return isSame ? outcome : 'superseded_meanwhile';
}
