import { OutdatedKeyPair, ServiceError } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import { readTransactionId, transactionNotFound } from '../../core/contributions/written-transaction-id';
import type { MoneyReturn, NewReturn } from './money-return';
import type {
  Correction,
  CorrectionOutcome,
  CorrectionRefusal,
  ReturnOutcome,
  ReturnsStore,
} from './returns.store';

export interface RecordedReturn {
  transactionId: string;
  moneyReturn: MoneyReturn;
  /** Whether an earlier request recorded it. */
  isReplay: boolean;
}

export type ReturnsService = ReturnType<typeof createReturnsService>;

type Refusal = Exclude<ReturnOutcome['kind'], 'recorded' | 'replayed'>;

const refusals: Record<Refusal, (requested: NewReturn) => ServiceError> = {
  // The same response for an unknown id and for another company's id.
  unknown: transactionNotFound,
  caller_not_live: () => new OutdatedKeyPair(),
  reserved: () =>
    new ServiceError('return_reserved', {
      detail:
        'Another party completed this contribution, or your link to its company was voided as a mistake. Nothing was recorded.',
    }),
  not_completed: () =>
    new ServiceError('contribution_not_completed', {
      detail:
        'The contribution is pending, or its completion was corrected. Complete it before you record a return. Nothing was recorded.',
    }),
  return_unknown: () =>
    new ServiceError('return_not_found', { detail: 'The contribution has no return with this return_id.' }),
  reference_reused: () =>
    new ServiceError('return_reference_reused', {
      detail:
        'An earlier request used this bank_reference with another amount, or to undo another return. Nothing was recorded.',
    }),
  exceeds: ({ undoes }) =>
    new ServiceError('return_exceeds_amount', {
      detail:
        undoes === undefined
          ? 'The sum of all returns would exceed the amount of the contribution. Nothing was recorded.'
          : 'The sum of all undos would exceed the amount of the return. Nothing was recorded.',
    }),
};

const correctionRefusals: Record<CorrectionRefusal, () => ServiceError> = {
  unknown: transactionNotFound,
  caller_not_live: () => new OutdatedKeyPair(),
  reserved: () =>
    new ServiceError('correction_reserved', {
      detail:
        'Another bank, or the company itself, completed this contribution. Only that party or the operator can correct the completion.',
    }),
  not_completed: () =>
    new ServiceError('contribution_not_completed', {
      detail: 'The contribution is pending, so there is no completion to correct. Nothing was recorded.',
    }),
  ambiguous: () =>
    new ServiceError('correction_ambiguous', {
      detail:
        'The contribution was completed more than once, or at another time. Send the completed_at of the completion that you take back. Nothing was recorded.',
    }),
  has_returns: () =>
    new ServiceError('contribution_has_returns', {
      detail: 'A return was recorded for this contribution, so money moved. Nothing was recorded.',
    }),
};

export function createReturnsService(store: ReturnsStore) {
  return {
    /**
     * Records that money of a contribution went back, or that a return was undone. A repeat with
     * the same bank reference, kind and amount succeeds and changes nothing.
     *
     * @param writtenId the transaction_id as the caller wrote it
     * @throws ServiceError transaction_not_found, return_reserved, return_not_found,
     *   contribution_not_completed, return_exceeds_amount, return_reference_reused,
     *   credentials_invalid
     */
    async record(principal: Principal, writtenId: string, requested: NewReturn): Promise<RecordedReturn> {
      const id = readTransactionId(writtenId);
      const outcome = await store.record(principal, id, requested);
      if (outcome.kind !== 'recorded' && outcome.kind !== 'replayed') throw refusals[outcome.kind](requested);
      return {
        transactionId: id.transactionId,
        moneyReturn: outcome.moneyReturn,
        isReplay: outcome.kind === 'replayed',
      };
    },

    /**
     * Takes a completion back, because no money moved. Only the party that completed the
     * contribution can. A repeat succeeds and changes nothing, also after another completion.
     *
     * @param writtenId the transaction_id as the caller wrote it
     * @throws ServiceError transaction_not_found, correction_reserved, contribution_not_completed,
     *   contribution_has_returns, correction_ambiguous, credentials_invalid
     */
    async correct(principal: Principal, writtenId: string, correction: Correction) {
      const id = readTransactionId(writtenId);
      const outcome: CorrectionOutcome = await store.correct(principal, id, correction);
      if (!('correctedAt' in outcome)) throw correctionRefusals[outcome.kind]();
      const { correctedAt, kind } = outcome;
      return { transactionId: id.transactionId, correctedAt, isReplay: kind === 'replayed' };
    },
  };
}
