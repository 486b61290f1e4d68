import { DatabaseFailure } from '../../db/errors';
import { invalidCredentials, ServiceError } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import { type ParsedTransactionId, parseTransactionId } from '../../shared/transaction-id';
import type { Evidence, NewContribution, Transaction } from './transaction';
import type { CompleteOutcome, CreateOutcome, TransactionsStore } from './transactions.store';
import type {
  PageRequest,
  TransactionFilter,
  TransactionPage,
  TransactionsListStore,
} from './transactions-list.store';

export interface TransactionsService {
  /**
   * Records a contribution as pending (specification 3, 4.5).
   *
   * @returns its id, and whether this only repeats an earlier answer under the same idempotency key
   * @throws ServiceError project_not_found, project_not_accepting, company_suspended, idempotency_key_reused;
   *   outcome_unknown when there is no idempotency key and the database's answer was lost
   */
  create(
    principal: Principal,
    contribution: NewContribution,
  ): Promise<{ transactionId: string; isReplay: boolean }>;

  /**
   * Marks a transaction as completed (specification 3, 4.6). Repeating it succeeds and changes nothing.
   *
   * @param writtenId the id as the caller wrote it
   * @throws ServiceError transaction_not_found, completion_reserved_for_bank, amount_mismatch, credentials_invalid
   */
  complete(
    principal: Principal,
    writtenId: string,
    evidence: Evidence,
  ): Promise<{ transactionId: string; isReplay: boolean }>;

  /** @throws ServiceError transaction_not_found */
  get(principal: Principal, writtenId: string): Promise<Transaction>;

  /** One page of the transactions that the caller may see, by time. */
  list(principal: Principal, filter: TransactionFilter, page: PageRequest): Promise<TransactionPage>;
}

type CompleteRefusal = Exclude<CompleteOutcome, 'completed' | 'replayed'>;
type CreateRefusal = Exclude<CreateOutcome['kind'], 'created' | 'replayed'>;

const createRefusals: Record<CreateRefusal, () => ServiceError> = {
  key_reused: () =>
    new ServiceError('idempotency_key_reused', {
      detail: 'This Idempotency-Key was used before with another project, amount or user. Use a new key.',
    }),
  company_suspended: () =>
    new ServiceError('company_suspended', {
      detail: 'The company is suspended and creates no contributions.',
    }),
  project_unknown: () =>
    new ServiceError('project_not_found', {
      detail: 'The project_id in the body names no project.',
      errors: [{ pointer: '/project_id', code: 'not_found', detail: 'There is no project with this id.' }],
    }),
  project_archived: () =>
    new ServiceError('project_not_accepting', {
      detail: 'The project is archived and accepts no contributions.',
    }),
};

function transactionNotFound(): ServiceError {
  return new ServiceError('transaction_not_found', { detail: 'There is no such transaction.' });
}

/** Anybody can compute that an id is mistyped, so the answer says so and no database is asked. */
function parse(writtenId: string): ParsedTransactionId {
  const id = parseTransactionId(writtenId);
  if (id) return id;
  throw new ServiceError('transaction_not_found', {
    detail:
      'This is not a transaction_id: it does not have 15 letters and digits with the right check character at the end. Look for a typing error.',
  });
}

const completeRefusals: Record<CompleteRefusal, () => ServiceError> = {
  // One and the same for an id that was never issued and for one that is somebody else's.
  unknown: transactionNotFound,
  caller_not_live: invalidCredentials,
  reserved_for_bank: () =>
    new ServiceError('completion_reserved_for_bank', {
      detail: 'The company has a partner bank for this transaction, which completes it.',
    }),
  amount_differs: () =>
    new ServiceError('amount_mismatch', {
      detail: 'The amount is not that of the transaction. Nothing was changed and the attempt was recorded.',
    }),
};

export function createTransactionsService(
  store: TransactionsStore,
  lists: TransactionsListStore,
): TransactionsService {
  return {
    async create(principal, contribution) {
      const outcome = await store.create(principal, contribution).catch((error: unknown) => {
        throw withoutBlindRetry(error, contribution);
      });
      if (outcome.kind !== 'created' && outcome.kind !== 'replayed') throw createRefusals[outcome.kind]();
      return { transactionId: outcome.transactionId, isReplay: outcome.kind === 'replayed' };
    },

    async complete(principal, writtenId, evidence) {
      const id = parse(writtenId);
      const outcome = await store.complete(principal, id, evidence);
      if (outcome !== 'completed' && outcome !== 'replayed') throw completeRefusals[outcome]();
      return { transactionId: id.transactionId, isReplay: outcome === 'replayed' };
    },

    async get(principal, writtenId) {
      const transaction = await store.find(principal, parse(writtenId));
      if (!transaction) throw transactionNotFound();
      return transaction;
    },

    list: (principal, filter, page) => lists.list(principal, filter, page),
  };
}

/** A create without an idempotency key whose answer was lost must not be sent again blindly: that could double it. */
function withoutBlindRetry(error: unknown, contribution: NewContribution): unknown {
  const isUnknown = error instanceof DatabaseFailure && error.outcome === 'unknown';
  if (!isUnknown || contribution.idempotencyKey !== undefined) return error;
  return new ServiceError('outcome_unknown', {
    detail:
      'The contribution may or may not have been recorded. Look it up with GET /company/integration/contributions?user_hash=… before you create it again, and send an Idempotency-Key with every create.',
    cause: error,
  });
}
