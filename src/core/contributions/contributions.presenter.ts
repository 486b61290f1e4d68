import { formatCents } from '../../shared/money';
import { type Contribution, netCents } from './contribution';
import type { Undone } from './contributions.service';

const undoneMessage =
  'The transaction was completed before, and its money was returned or its completion was corrected. Nothing changed: the net amount is 0.00.';
const advice = {
  undone: 'If you have paid it again, repeat the request with the bank_reference of the new payment.',
  barred:
    'You cannot complete it today, because your link has ended or another party completes it now. If you transferred the money, tell the operator.',
};

/**
 * The response to a completion (specification 4.6). A repeat gets the same body, except for a
 * contribution whose net amount is zero.
 */
export function presentCompleted(transactionId: string, undone: Undone) {
  const common = { transaction_id: transactionId, status: 'completed' as const };
  return undone === undefined
    ? { ...common, message: 'The transaction was updated to completed.' }
    : { ...common, message: `${undoneMessage} ${advice[undone]}`, net_amount: '0.00' as const };
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
    net_amount: formatCents(netCents(transaction)),
    created_at: transaction.createdAt.toISOString(),
    completed_at: transaction.completedAt?.toISOString() ?? null,
    corrected_at: transaction.correctedAt?.toISOString() ?? null,
    completed_by_you: transaction.completedByCaller,
    bank_reference: transaction.bankReference,
    value_date: transaction.valueDate,
    ...(own ? { user_hash: own.userHash, name: own.name, idempotency_key: own.idempotencyKey } : {}),
  };
}
