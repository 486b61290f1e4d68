import { Counter, type Registry } from 'prom-client';

import type {
  CompleteOutcome,
  CompletionInSetOutcome,
  SingleCompleteOutcome,
} from '../modules/contributions/contribution';
import type { CreateOutcome, ContributionsStore } from '../modules/contributions/contributions.store';
import type { CorrectionOutcome, ReturnOutcome, ReturnsStore } from '../modules/returns/returns.store';
import { environmentKinds } from '../shared/scopes';

export interface ContributionMetrics {
  /** Wraps the store to count the outcomes of creates and completions. */
  counting: (store: ContributionsStore) => ContributionsStore;
  /** Wraps the store to count the outcomes of returns, undos and corrections. */
  countingReturns: (store: ReturnsStore) => ReturnsStore;
}

/** Every outcome starts at 0. Prometheus sees no increase in a counter whose first value is 1. */
const noCreates: Record<CreateOutcome['kind'], 0> = {
  created: 0,
  replayed: 0,
  environment_retired: 0,
  key_reused: 0,
  company_suspended: 0,
  project_unknown: 0,
  project_archived: 0,
};
const noCompletions: Record<SingleCompleteOutcome, 0> = {
  completed: 0,
  replayed: 0,
  undone: 0,
  barred: 0,
  caller_not_live: 0,
  unknown: 0,
  reserved_for_bank: 0,
  contested: 0,
  amount_differs: 0,
};

/** Whether to count a completion. The database gave no outcome for a `CompletionFailure`. */
const isCounted = (outcome: CompletionInSetOutcome): outcome is CompleteOutcome => outcome in noCompletions;

const noCorrections: Record<CorrectionOutcome['kind'], 0> = {
  corrected: 0,
  replayed: 0,
  caller_not_live: 0,
  unknown: 0,
  not_completed: 0,
  reserved: 0,
  ambiguous: 0,
  has_returns: 0,
};

const noReturns: Record<ReturnOutcome['kind'], 0> = {
  recorded: 0,
  replayed: 0,
  caller_not_live: 0,
  unknown: 0,
  not_completed: 0,
  reserved: 0,
  return_unknown: 0,
  reference_reused: 0,
  exceeds: 0,
};

/**
 * Creates, completions and returns by outcome. Statements without a reply are not counted, because
 * this process does not know their outcome.
 */
export function createContributionMetrics(registry: Registry): ContributionMetrics {
  const outcomes = (name: string, help: string, known: object) => {
    const counter = new Counter({
      name,
      help,
      labelNames: ['environment_kind', 'outcome'],
      registers: [registry],
    });
    for (const kind of environmentKinds) {
      for (const outcome of Object.keys(known)) counter.inc({ environment_kind: kind, outcome }, 0);
    }
    return counter;
  };
  const creates = outcomes('contribution_creates_total', 'Creates by outcome.', noCreates);
  const completions = outcomes('contribution_completions_total', 'Completions by outcome.', noCompletions);
  const returns = outcomes(
    'contribution_returns_total',
    'Returns, and undone returns, by outcome.',
    noReturns,
  );

  const corrections = outcomes('contribution_corrections_total', 'Corrections by outcome.', noCorrections);

  return {
    counting: (store) => ({
      ...store,
      async create(principal, contribution) {
        const outcome = await store.create(principal, contribution);
        creates.inc({ environment_kind: principal.environmentKind, outcome: outcome.kind });
        return outcome;
      },
      async complete(principal, id, evidence) {
        const outcome = await store.complete(principal, id, evidence);
        completions.inc({ environment_kind: principal.environmentKind, outcome });
        return outcome;
      },
      async completeSet(principal, tag, lines, isDryRun) {
        const all = await store.completeSet(principal, tag, lines, isDryRun);
        if (!isDryRun)
          for (const outcome of all)
            if (isCounted(outcome)) completions.inc({ environment_kind: principal.environmentKind, outcome });
        return all;
      },
    }),
    countingReturns: (store) => ({
      async correct(principal, id, correction) {
        const outcome = await store.correct(principal, id, correction);
        corrections.inc({ environment_kind: principal.environmentKind, outcome: outcome.kind });
        return outcome;
      },
      async record(principal, id, requested) {
        const outcome = await store.record(principal, id, requested);
        returns.inc({ environment_kind: principal.environmentKind, outcome: outcome.kind });
        return outcome;
      },
    }),
  };
}
