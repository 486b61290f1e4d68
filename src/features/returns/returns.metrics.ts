import type { CorrectionOutcome, ReturnOutcome, ReturnsStore } from './returns.store';
import type { MetricsOfFeature } from '../../metrics/feature-metrics';
import { countOutcomes } from '../../metrics/outcomes';

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
 * Wraps the store to count the outcomes of returns, undos and corrections. Queries without a
 * reply are not counted, because this process does not know their outcome.
 */
export function countingReturns(metrics: MetricsOfFeature, store: ReturnsStore): ReturnsStore {
  const returns = countOutcomes(
    metrics,
    'contribution_returns_total',
    'Returns, and undone returns, by outcome.',
    noReturns,
  );
  const corrections = countOutcomes(
    metrics,
    'contribution_corrections_total',
    'Corrections by outcome.',
    noCorrections,
  );
  return {
    ...store,
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
  };
}
