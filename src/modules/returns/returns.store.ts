import { v7 as uuidv7 } from 'uuid';

import type { Database } from '../../db/pool/database';
import type { Principal } from '../../shared/scopes';
import type { ParsedTransactionId } from '../../shared/transaction-id';
import type { MoneyReturn, NewReturn } from './money-return';
import { recordReturn, type RecordReturnRow, type ReturnRefusal } from './record-return.statement';

export type ReturnOutcome =
  { kind: 'recorded' | 'replayed'; moneyReturn: MoneyReturn } | { kind: ReturnRefusal | 'caller_not_live' };

export interface ReturnsStore {
  record(principal: Principal, id: ParsedTransactionId, requested: NewReturn): Promise<ReturnOutcome>;
}

/** In the response to a repeat, the code and the value date are those of the first request. */
function readRow(row: RecordReturnRow, requested: NewReturn): ReturnOutcome {
  if (!row.caller_is_live) return { kind: 'caller_not_live' };
  if (row.outcome !== 'recorded' && row.outcome !== 'replayed') return { kind: row.outcome };
  return {
    kind: row.outcome,
    moneyReturn: {
      ...requested,
      code: row.recorded_code ?? undefined,
      valueDate: row.recorded_value_date ?? undefined,
      returnId: row.return_id,
      recordedAt: row.recorded_at,
      contribution: {
        amountCents: BigInt(row.contribution_cents),
        returnedCents: BigInt(row.contribution_returned_cents),
      },
    },
  };
}

export function createReturnsStore(database: Pick<Database, 'run'>): ReturnsStore {
  return {
    async record({ environmentId, apiKey }, { transactionId, tag }, requested) {
      const [row] = await database.run<RecordReturnRow>(recordReturn, [
        environmentId,
        apiKey,
        tag,
        transactionId,
        uuidv7(),
        requested.undoes ?? null,
        requested.kind,
        requested.code ?? null,
        requested.amountCents,
        requested.bankReference,
        requested.valueDate ?? null,
        uuidv7(),
      ]);
      if (!row) throw new Error('record_return has no row');
      return readRow(row, requested);
    },
  };
}
