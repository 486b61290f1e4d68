import { formatCents } from '../../shared/money';
import type { Contribution } from './contribution';

/** The response to a completion (specification 4.6). A repeat gets the same body. */
export function presentCompleted(transactionId: string) {
  return {
    transaction_id: transactionId,
    status: 'completed' as const,
    message: 'The transaction was updated to completed.',
  };
}

export function presentContribution(transaction: Contribution) {
  const { own } = transaction;
  return {
    transaction_id: transaction.transactionId,
    company_id: transaction.companyId,
    company_name: transaction.companyName,
    status: transaction.status,
    project_id: transaction.projectId,
    amount: formatCents(transaction.amountCents),
    currency: transaction.currency,
    returned_amount: formatCents(transaction.returnedCents),
    net_amount: formatCents(transaction.amountCents - transaction.returnedCents),
    created_at: transaction.createdAt.toISOString(),
    completed_at: transaction.completedAt?.toISOString() ?? null,
    completed_by_you: transaction.completedByCaller,
    bank_reference: transaction.bankReference,
    value_date: transaction.valueDate,
    ...(own ? { user_hash: own.userHash, name: own.name, idempotency_key: own.idempotencyKey } : {}),
  };
}
