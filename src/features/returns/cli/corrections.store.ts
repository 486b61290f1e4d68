import { v7 as uuidv7 } from 'uuid';

import type { Queries } from '../../../db/operator-transaction';
import { OperatorError } from '../../../shared/operator-error';
import type { TransactionLookupStore } from '../../../operator/contribution-lookup/transaction-lookup.store';

export interface CorrectedCompletion {
  amount: string;
  completedBy: string | null;
  bankReference: string | null;
  correctedAt: Date;
  /** False if it was corrected before. */
  changed: boolean;
}

type Refusal = 'unknown' | 'not_completed' | 'has_returns';

const refusals: Record<Refusal, (id: string) => string> = {
  unknown: (id) => `There is no contribution ${id}.`,
  not_completed: (id) => `${id} is pending: there is no completion to take back.`,
  has_returns: (id) =>
    `${id} has returns, so money moved. A correction is only for a completion without a payment. If the rest of the money went back too, the party that completed it records further returns.`,
};

export function createCorrectionsStore(
  database: Queries,
  transactions: Pick<TransactionLookupStore, 'find'>,
) {
  async function find(transactionId: string) {
    const transaction = await transactions.find(transactionId);
    if (!transaction || transaction.retiredAt !== null)
      throw new OperatorError(refusals.unknown(transactionId));
    return transaction;
  }
  return {
    /** A sentence about the completion that a correction would take back. */
    async describe(transactionId: string) {
      const { amount, company, kind, completedBy, completedAt, bankReference, correctedAt } =
        await find(transactionId);
      if (completedAt === null) throw new OperatorError(refusals.not_completed(transactionId));
      if (correctedAt !== null)
        return `The completion of ${transactionId} was already taken back at ${correctedAt.toISOString()}. Nothing will change.`;
      const reference =
        bankReference === null ? 'without a reference' : `with the reference ${bankReference}`;
      return `The completion of ${transactionId} (${amount} US dollars, "${company}" ${kind}) by "${completedBy}" at ${completedAt.toISOString()} ${reference} will be taken back: no money moved. Its net amount becomes 0.00, and all parties get an event. Anyone who may complete it by today's links can then complete it again.`;
    },

    /**
     * Takes a completion back as the operator whose database login the connection has. The function
     * `correct_contribution_as_operator` decides.
     *
     * @throws OperatorError if there is no such contribution, no completion, or a return
     */
    async correct(transactionId: string, reason: string): Promise<CorrectedCompletion> {
      // Before the change: on a cluster, another role makes it, and this one cannot read it then.
      const { amount, completedBy, bankReference, correctedAt: inForceSince } = await find(transactionId);
      const [row] = await database.runUnprepared<{
        outcome: 'corrected' | 'replayed' | Refusal;
        recorded_at: Date;
      }>('SELECT outcome, recorded_at FROM correct_contribution_as_operator($1, $2, $3)', [
        transactionId,
        reason,
        uuidv7(),
      ]);
      if (!row) throw new Error('correct_contribution_as_operator has no row');
      const { outcome, recorded_at: correctedAt } = row;
      if (outcome !== 'corrected' && outcome !== 'replayed')
        throw new OperatorError(refusals[outcome](transactionId));
      if (outcome === 'replayed' && inForceSince === null)
        throw new OperatorError(
          `The correction with this reason, of ${correctedAt.toISOString()}, took back an earlier completion of ${transactionId}. The completion in force, by "${completedBy}", still counts. To take it back too, give another reason.`,
        );
      return { amount, completedBy, bankReference, correctedAt, changed: outcome === 'corrected' };
    },
  };
}
