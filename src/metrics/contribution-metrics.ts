import { Counter, type Registry } from 'prom-client';

import type { TransactionsStore } from '../modules/transactions/transactions.store';
import { environmentKinds } from '../shared/scopes';

export interface ContributionMetrics {
  /** The same store, with what it creates and completes counted. */
  counting: (store: TransactionsStore) => TransactionsStore;
}

const createOutcomes = ['created', 'replayed'] as const;
const completeOutcomes = ['completed', 'replayed', 'amount_differs', 'reserved_for_bank', 'unknown'] as const;

/**
 * What became of creates and completions, as the database answered. Whatever had no answer is not here: the database knows,
 * this process does not.
 */
export function createContributionMetrics(registry: Registry): ContributionMetrics {
  const outcomes = (name: string, help: string, known: readonly string[]) => {
    const counter = new Counter({
      name,
      help,
      labelNames: ['environment_kind', 'outcome'],
      registers: [registry],
    });
    for (const kind of environmentKinds) {
      for (const outcome of known) counter.inc({ environment_kind: kind, outcome }, 0);
    }
    return counter;
  };
  const creates = outcomes('contribution_creates_total', 'Creates by outcome.', createOutcomes);
  const completions = outcomes('contribution_completions_total', 'Completions by outcome.', completeOutcomes);

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
    }),
  };
}
