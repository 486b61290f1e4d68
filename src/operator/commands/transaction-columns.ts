import type { Columns } from '../cli/output';
import type { ListedTransaction } from '../contribution-lookup/transaction-lookup.store';

/** The columns of a list of contributions. */
export const transactionColumns: Columns<ListedTransaction> = [
  ['TRANSACTION_ID', (transaction) => transaction.transactionId, 'whole'],
  ['STATUS', (transaction) => transaction.status, 'whole'],
  ['AMOUNT', (transaction) => transaction.amount, 'whole'],
  ['CREATED', (transaction) => transaction.createdAt, 'whole'],
  ['COMPANY', (transaction) => transaction.company],
  ['COMPLETED', (transaction) => transaction.completedAt, 'whole'],
  ['ENVIRONMENT', (transaction) => transaction.kind],
  ['PROJECT', (transaction) => transaction.projectId],
];
