import type { Routes } from '../../http/routes';
import { replayHeader } from '../../core/contributions/replay-header';
import { returnsContract } from './returns.contract';
import { presentReturn, presentUndo } from './returns.presenter';
import type { ReturnsService } from './returns.service';

/** Adds the operations of this module to the API. */
export function returnsRoutes(routes: Routes, returns: ReturnsService): void {
  routes.bind(returnsContract.record).to(async ({ principal, params, body, addToLog }) => {
    const { transactionId, moneyReturn, isReplay } = await returns.record(principal, params.transaction_id, {
      undoes: undefined,
      kind: body.kind,
      code: body.code,
      amountCents: body.amount,
      bankReference: body.bank_reference,
      valueDate: body.value_date,
    });
    addToLog({ return_id: moneyReturn.returnId });
    return {
      status: 201,
      headers: replayHeader(isReplay),
      body: presentReturn(transactionId, body.kind, moneyReturn),
    };
  });

  routes.bind(returnsContract.correct).to(async ({ principal, params, body }) => {
    const { transactionId, correctedAt, isReplay } = await returns.correct(principal, params.transaction_id, {
      reason: body.reason,
      completedAt: body.completed_at,
    });
    return {
      status: 201,
      headers: replayHeader(isReplay),
      body: { transaction_id: transactionId, corrected_at: correctedAt.toISOString() },
    };
  });

  routes.bind(returnsContract.undo).to(async ({ principal, params, body }) => {
    const returnId = params.return_id.toLowerCase();
    const { transactionId, moneyReturn, isReplay } = await returns.record(principal, params.transaction_id, {
      undoes: returnId,
      kind: body.reason,
      code: undefined,
      amountCents: body.amount,
      bankReference: body.bank_reference,
      valueDate: body.value_date,
    });
    return {
      status: 201,
      headers: replayHeader(isReplay),
      body: presentUndo(transactionId, returnId, body.reason, moneyReturn),
    };
  });
}
