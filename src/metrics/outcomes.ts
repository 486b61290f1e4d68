import { Counter, type Registry } from 'prom-client';

import { environmentKinds } from '../shared/scopes';

/**
 * A counter of outcomes. Every outcome starts at 0, because Prometheus sees no increase in a
 * counter whose first value is 1.
 */
export function countOutcomes(
  registry: Registry,
  name: string,
  help: string,
  known: object,
): Counter<'environment_kind' | 'outcome'> {
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
}
