import { environmentKinds } from '../shared/scopes';
import type { MetricsOfFeature } from './feature-metrics';

interface OutcomeCounter {
  inc: (labels: { environment_kind: string; outcome: string }) => void;
}

/** A counter with one label, whose known values start at 0. */
export function countBy<Label extends string>(
  metrics: Pick<MetricsOfFeature, 'counter'>,
  label: Label,
  about: { name: string; help: string },
  known: object,
): { inc: (labels: Record<Label, string>, count?: number) => void } {
  const counter = metrics.counter({ ...about, labelNames: [label] });
  for (const value of Object.keys(known)) counter.inc({ [label]: value }, 0);
  return counter;
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
