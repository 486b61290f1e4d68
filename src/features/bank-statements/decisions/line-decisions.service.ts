import { v7 as uuidv7 } from 'uuid';

import { invalidRequest, type ServiceError } from '../../../shared/errors';
import type { Principal } from '../../../shared/scopes';
import { checkCount, readAllocations, visibleContributions } from './given-decisions';
import type { StatedContributionsStore } from '../contributions/stated-contributions.store';
import { type CompleteDependencies, completeLine } from './complete-line';
import type { JudgeNow } from './judge-now';
import type { CompletionOutcome, DecidableLine, DecisionOutcome, LineDecisionGiven } from './line-decision';
import type { NewDecision, RecordedDecision } from './line-decisions.store';

/** Decisions in one call, and allocations in all of them. */
export const mostDecisions = 1_000;
const mostAllocations = 1_000;
/** Decisions in one transaction. */
const decisionsAtOnce = 100;

type Decider = Pick<Principal, 'environmentId' | 'apiKey'>;

export interface Decided {
  outcome: CompletionOutcome;
  /** The line as it is now. Undefined if there is none. */
  line: DecidableLine | undefined;
}

export interface LineDecisionsService {
  /**
   * Records a decision, and compares the day of the line at once if it is free. `undo` also takes
   * back decisions about a line that does not exist any more.
   *
   * @throws ServiceError invalid_request, transaction_not_found for a wrong check character; for
   *   `complete` also scope_missing and the errors of a completion
   */
  decide(principal: Principal, entryId: string, given: LineDecisionGiven): Promise<Decided>;
  /**
   * Records decisions about up to 1,000 different lines. Each has its own outcome. If the call is
   * interrupted, a repeat records the rest.
   *
   * @returns the outcomes in the order of the decisions
   * @throws ServiceError invalid_request, transaction_not_found for a wrong check character
   */
  decideMany(
    principal: Decider,
    decisions: readonly (LineDecisionGiven & { entryId: string })[],
  ): Promise<DecisionOutcome[]>;
  /** The newest 100 decisions about a line, newest first. */
  list(environmentId: number, entryId: string): Promise<RecordedDecision[]>;
}

export interface LineDecisionDependencies extends CompleteDependencies {
  stated: Pick<StatedContributionsStore, 'visibleEnvironments' | 'findContributions'>;
  judgeNow: JudgeNow;
}

/** @throws ServiceError invalid_request, or transaction_not_found for a wrong check character */
function newDecision({ action, allocations, reason, seen }: LineDecisionGiven): NewDecision {
  checkCount(action, allocations.length);
  return { decisionId: uuidv7(), action, allocations: readAllocations(allocations), reason, seen };
}

const idsOf = ({ allocations }: NewDecision): string[] =>
  allocations.map(({ transactionId }) => transactionId);

const expectedOf = (decision: NewDecision, visible: ReadonlyMap<string, bigint>): bigint =>
  idsOf(decision).reduce((sum, id) => sum + (visible.get(id) ?? 0n), 0n);

const wrongDecisions = (detail: string): ServiceError =>
  invalidRequest([{ code: 'out_of_range', detail, pointer: '/decisions' }]);

/** @throws ServiceError invalid_request */
function checkMany(decisions: readonly (LineDecisionGiven & { entryId: string })[]): void {
  if (decisions.length > mostDecisions) throw wrongDecisions(`Send at most ${mostDecisions} decisions.`);
  const allocations = decisions.reduce((sum, { allocations: own }) => sum + own.length, 0);
  if (allocations > mostAllocations) {
    throw wrongDecisions(`Send at most ${mostAllocations} allocations together.`);
  }
  if (new Set(decisions.map(({ entryId }) => entryId)).size < decisions.length) {
    throw wrongDecisions('Send one decision for each line.');
  }
  if (decisions.some(({ action }) => action === 'complete')) {
    throw wrongDecisions('Send complete for each line on its own.');
  }
}

export function createLineDecisionsService(dependencies: LineDecisionDependencies): LineDecisionsService {
  const { store, contributions, stated, judgeNow } = dependencies;

  /** The line that results from all decisions so far. Undefined if there is none. */
  async function current(environmentId: number, entryId: string): Promise<DecidableLine | undefined> {
    const [line] = await store.lines(environmentId, [entryId]);
    if (!line?.isPending) return line;
    await judgeNow([line]);
    return (await store.lines(environmentId, [entryId]))[0];
  }

  return {
    async decide(principal, entryId, given) {
      const decision = newDecision(given);
      const { environmentId } = principal;
      const line = await current(environmentId, entryId);
      if (!line && decision.action === 'complete') return { outcome: 'no_line', line };
      const visible = await visibleContributions(stated, environmentId, idsOf(decision));
      if (idsOf(decision).some((id) => !visible.has(id))) return { outcome: 'contribution_not_found', line };
      const outcome =
        line && decision.action === 'complete'
          ? await completeLine({ store, contributions }, principal, line, decision)
          : await store.appendOne(environmentId, principal.apiKey, {
              ...{ entryId, line, decision, expectedCents: expectedOf(decision, visible) },
            });
      return { outcome, line: await current(environmentId, entryId) };
    },

    async decideMany(principal, decisions) {
      checkMany(decisions);
      const { environmentId, apiKey } = principal;
      const read = decisions.map((given) => ({ entryId: given.entryId, decision: newDecision(given) }));
      const ids = read.flatMap(({ decision }) => idsOf(decision));
      const visible = await visibleContributions(stated, environmentId, [...new Set(ids)]);
      const isVisible = (decision: NewDecision): boolean => idsOf(decision).every((id) => visible.has(id));
      const outcomes: DecisionOutcome[] = [];
      for (let start = 0; start < read.length; start += decisionsAtOnce) {
        const some = read.slice(start, start + decisionsAtOnce);
        const found = await store.lines(
          environmentId,
          some.map(({ entryId }) => entryId),
        );
        const lines = new Map(found.map((line) => [line.entryId, line]));
        const appended = await store.append(
          environmentId,
          apiKey,
          some
            .filter(({ decision }) => isVisible(decision))
            .map(({ entryId, decision }) => ({
              ...{ entryId, line: lines.get(entryId), decision },
              expectedCents: expectedOf(decision, visible),
            })),
        );
        for (const { entryId, decision } of some) {
          const missing = lines.has(entryId) && !isVisible(decision) ? 'contribution_not_found' : 'no_line';
          outcomes.push(appended.get(entryId) ?? missing);
        }
      }
      return outcomes;
    },

    list: (environmentId, entryId) => store.list(environmentId, entryId),
  };
}
