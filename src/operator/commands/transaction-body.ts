import type { ListedTransaction } from '../contribution-lookup/transaction-lookup.store';

/** A contribution, as commands print it as JSON and export it. */
export const transactionBody = (transaction: ListedTransaction) => ({
  transaction_id: transaction.transactionId,
  company: transaction.company,
  environment: transaction.kind,
  status: transaction.status,
  amount: transaction.amount,
  returned_amount: transaction.returnedAmount,
  net_amount: transaction.netAmount,
  currency: 'USD',
  project_id: transaction.projectId,
  user_id: transaction.userId,
  idempotency_key: transaction.idempotencyKey,
  created_at: transaction.createdAt,
  created_by_api_key: transaction.createdByApiKey,
  completed_at: transaction.completedAt,
  completed_by: transaction.completedBy,
  completed_by_api_key: transaction.completedByApiKey,
  bank_reference: transaction.bankReference,
  value_date: transaction.valueDate,
  corrected_at: transaction.correctedAt,
  environment_retired_at: transaction.retiredAt,
});
