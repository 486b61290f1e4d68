import { OperatorError } from '../../shared/operator-error';
import type { DisputeKind } from './dispute-kinds';
import type { Dispute, DisputesStore, Resolution } from './disputes.store';

/**
 * Completions of one kind that were refused because something is wrong with the money. Resolving
 * them changes neither the contribution nor its events: it records that somebody has looked, and
 * what came of it.
 */
export interface DisputesService {
  /** What nobody has resolved so far, the oldest first. */
  listOpen(): Promise<Dispute[]>;
  /**
   * The dispute that the record of this command resolves; one that is refused later is open again.
   *
   * @throws OperatorError when the transaction has no open dispute of this kind
   */
  resolve(transactionId: string): Promise<Dispute>;
  resolutions(transactionId: string): Promise<Resolution[]>;
}

export function createDisputesService(store: DisputesStore, kind: DisputeKind): DisputesService {
  return {
    listOpen: () => store.listOpen(),

    async resolve(transactionId) {
      // A statement of its own: the next one sees what somebody else has resolved meanwhile.
      await store.lock(transactionId);
      const [dispute] = await store.listOpen(transactionId);
      if (dispute) return dispute;
      const before = (await store.resolutions(transactionId)).at(-1);
      throw new OperatorError(
        before === undefined
          ? `No completion of ${transactionId} ${kind.what}.`
          : `${transactionId} was resolved at ${before.resolvedAt.toISOString()} by ${before.operator}, and nothing was refused since.`,
      );
    },

    resolutions: (transactionId) => store.resolutions(transactionId),
  };
}
