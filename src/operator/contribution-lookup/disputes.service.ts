import { OperatorError } from '../../shared/operator-error';
import type { DisputeKind } from './dispute-kinds';
import type { DisputesStore } from './disputes.store';

/**
 * Completions of one kind that an operator must clarify with the parties. Resolving them
 * changes neither the contribution nor its events. It records what the operator found.
 */
export function createDisputesService(store: DisputesStore, kind: DisputeKind) {
  return {
    /** Unresolved disputes, oldest first. */
    listOpen: () => store.listOpen(),

    /**
     * Returns the dispute. The caller resolves it by adding an audit log entry; a later rejection
     * reopens it.
     *
     * @throws OperatorError when the transaction has no open dispute of this kind
     */
    async resolve(transactionId: string) {
      // A separate query, so that the next one sees what another operator has just resolved.
      await store.lock(transactionId);
      const [dispute] = await store.listOpen(transactionId);
      if (dispute) return dispute;
      const before = (await store.resolutions(transactionId)).at(-1);
      throw new OperatorError(
        before === undefined
          ? `${transactionId} has no ${kind.title}.`
          : `${transactionId} was already resolved at ${before.resolvedAt.toISOString()} by ${before.operator}, and none was recorded since.`,
      );
    },

    resolutions: (transactionId: string) => store.resolutions(transactionId),
  };
}
