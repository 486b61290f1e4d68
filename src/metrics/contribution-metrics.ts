import type {
  CompleteOutcome,
  CompletionInSetOutcome,
  SingleCompleteOutcome,
} from '../core/contributions/contribution';
import type { CreateOutcome, ContributionsStore } from '../core/contributions/contributions.store';
import type { MetricsOfFeature } from './feature-metrics';
import { countOutcomes } from './outcomes';

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

/**
 * Creates and completions by outcome. Queries without a reply are not counted, because
 * this process does not know their outcome.
 */
export function createContributionMetrics(metrics: MetricsOfFeature) {
  const creates = countOutcomes(metrics, 'contribution_creates_total', 'Creates by outcome.', noCreates);
  const completions = countOutcomes(
    metrics,
    'contribution_completions_total',
    'Completions by outcome.',
    noCompletions,
  );

  return {
    /** Wraps the store to count the outcomes of creates and completions. */
    counting: (store: ContributionsStore): ContributionsStore => ({
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
  };
}
