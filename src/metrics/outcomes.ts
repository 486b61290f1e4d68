import { environmentKinds } from '../shared/scopes';
import type { MetricsOfFeature } from './feature-metrics';

interface OutcomeCounter {
  inc: (labels: { environment_kind: string; outcome: string }) => void;
}

/**
 * A counter of outcomes. Every outcome starts at 0, because Prometheus sees no increase in a
 * counter whose first value is 1.
 */
export function countOutcomes(
  metrics: Pick<MetricsOfFeature, 'counter'>,
  name: string,
  help: string,
  known: object,
): OutcomeCounter {
  const counter = metrics.counter({ name, help, labelNames: ['environment_kind', 'outcome'] });
  for (const kind of environmentKinds) {
    for (const outcome of Object.keys(known)) counter.inc({ environment_kind: kind, outcome }, 0);
  }
  return counter;
}
