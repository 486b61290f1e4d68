import { OperatorError } from '../../shared/operator-error';
import type { AmountMismatch, MismatchesStore, Resolution } from './mismatches.store';

/**
 * Completions that were refused because another amount had moved than was promised. Resolving one changes neither the
 * contribution nor its events: it records that somebody has looked, and what came of it.
 */
export interface MismatchesService {
  /** What nobody has resolved so far, the oldest first. */
  listOpen(): Promise<AmountMismatch[]>;
  /**
   * The mismatch that the record of this command resolves; one that is refused later is open again.
   *
   * @throws OperatorError when the transaction has no open mismatch
   */
  resolve(transactionId: string): Promise<AmountMismatch>;
  resolutions(transactionId: string): Promise<Resolution[]>;
}

export function createMismatchesService(store: MismatchesStore): MismatchesService {
  return {
    listOpen: () => store.listOpen(),

    async resolve(transactionId) {
      // A statement of its own: the next one sees what somebody else has resolved meanwhile.
      await store.lock(transactionId);
      const [mismatch] = await store.listOpen(transactionId);
      if (mismatch) return mismatch;
      const before = (await store.resolutions(transactionId)).at(-1);
      throw new OperatorError(
        before === undefined
          ? `No completion of ${transactionId} was refused because of its amount.`
          : `${transactionId} was resolved at ${before.resolvedAt.toISOString()} by ${before.operator}, and nothing was refused since.`,
      );
    },

    resolutions: (transactionId) => store.resolutions(transactionId),
  };
}
