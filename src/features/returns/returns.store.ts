import { v7 as uuidv7 } from 'uuid';

import type { Database } from '../../db/pool/database';
import { enableWarnings, query } from '../../db/query';
import { CompanyFrozen } from '../../shared/errors';
import type { Principal } from '../../shared/scopes';
import type { ParsedTransactionId } from '../../shared/transaction-id';
import type { MoneyReturn, NewReturn } from './money-return';
import { recordReturn, type RecordReturnRow, type ReturnRefusal } from './record-return.query';

export type ReturnOutcome =
  { kind: 'recorded' | 'replayed'; moneyReturn: MoneyReturn } | { kind: ReturnRefusal | 'caller_not_live' };

export type CorrectionRefusal =
  'caller_not_live' | 'unknown' | 'not_completed' | 'reserved' | 'ambiguous' | 'has_returns';

export type CorrectionOutcome =
  { kind: 'corrected' | 'replayed'; correctedAt: Date } | { kind: CorrectionRefusal };

/** A request to take a completion back. */
export interface Correction {
  reason: string;
  /** The time of the completion, to the millisecond. */
  completedAt: string | undefined;
}

export interface ReturnsStore {
  correct(principal: Principal, id: ParsedTransactionId, correction: Correction): Promise<CorrectionOutcome>;
  record(principal: Principal, id: ParsedTransactionId, requested: NewReturn): Promise<ReturnOutcome>;
}

/**
 * Takes a completion back. The database function `correct_contribution` does this in one query.
 *
 * $1 caller's environment_id, $2 caller's api_key, $3 tag, $4 transaction_id, $5 reason, $6
 * completed_at or null, $7 event_id
 */
const correctContribution = query(
  'correct_contribution',
  `
  SELECT caller_is_live, outcome, recorded_at, ${enableWarnings}
    FROM correct_contribution($1, $2, $3, $4, $5, $6, $7)
  `,
  { isEssential: true, writes: true },
);

/** Exactly one row. */
type CorrectionRow =
  | { caller_is_live: true; outcome: 'corrected' | 'replayed'; recorded_at: Date }
  | { caller_is_live: boolean | null; outcome: Exclude<CorrectionRefusal, 'caller_not_live'> };

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
    async correct({ environmentId, apiKey, environmentKind }, { transactionId, tag }, correction) {
      const [row] = await database.run<CorrectionRow>(correctContribution, [
        environmentId,
        apiKey,
        tag,
        transactionId,
        correction.reason,
        correction.completedAt ?? null,
        uuidv7(),
      ]);
      if (!row) throw new Error('correct_contribution has no row');
      if (row.caller_is_live === null) throw new CompanyFrozen(environmentKind);
      if (!row.caller_is_live) return { kind: 'caller_not_live' };
      return row.outcome === 'corrected' || row.outcome === 'replayed'
        ? { kind: row.outcome, correctedAt: row.recorded_at }
        : { kind: row.outcome };
    },

    async record({ environmentId, apiKey, environmentKind }, { transactionId, tag }, requested) {
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
      if (row.caller_is_live === null) throw new CompanyFrozen(environmentKind);
      return readRow(row, requested);
    },
  };
}
