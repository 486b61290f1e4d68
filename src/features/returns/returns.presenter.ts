import { formatCents } from '../../shared/money';
import type { MoneyReturn } from './money-return';
import type { ReturnKind, UndoReason } from './money-return.fields';

/** The members that the responses to a return and to an undo share. */
function present(transactionId: string, { contribution, ...moneyReturn }: MoneyReturn) {
  const { amountCents, returnedCents } = contribution;
  return {
    transaction_id: transactionId,
    amount: formatCents(moneyReturn.amountCents),
    currency: 'USD' as const,
    bank_reference: moneyReturn.bankReference,
    value_date: moneyReturn.valueDate ?? null,
    recorded_at: moneyReturn.recordedAt.toISOString(),
    returned_amount: formatCents(returnedCents),
    net_amount: formatCents(amountCents - returnedCents),
  };
}

export function presentReturn(transactionId: string, kind: ReturnKind, moneyReturn: MoneyReturn) {
  const code = moneyReturn.code ?? null;
  return { return_id: moneyReturn.returnId, kind, code, ...present(transactionId, moneyReturn) };
}

export function presentUndo(
  transactionId: string,
  returnId: string,
  reason: UndoReason,
  moneyReturn: MoneyReturn,
) {
  return {
    undo_id: moneyReturn.returnId,
    return_id: returnId,
    reason,
    ...present(transactionId, moneyReturn),
  };
}
