import { enableWarnings, query } from '../../db/query';

/**
 * Records a return or an undo. It also updates the contribution's returned amount, the user's
 * support and the project's figures, and adds an event. The database function `record_return` does
 * this in one query: it checks the caller's key pair, locks the transaction, and decides.
 *
 * $1 caller's environment_id, $2 caller's api_key, $3 tag, $4 transaction_id, $5 return_id, $6 the
 * return that it undoes or null, $7 kind, $8 code or null, $9 amount_cents, $10 bank_reference, $11
 * value_date or null, $12 event_id
 */
export const recordReturn = query(
  'record_return',
  `
  SELECT caller_is_live, outcome, return_id, recorded_code, recorded_value_date, recorded_at, contribution_cents,
         contribution_returned_cents, ${enableWarnings}
    FROM record_return($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  `,
  { isEssential: true, writes: true },
);

/** The reason why a return was not recorded. */
export type ReturnRefusal =
  'unknown' | 'not_completed' | 'reserved' | 'return_unknown' | 'reference_reused' | 'exceeds';

interface RecordedRow {
  caller_is_live: true;
  outcome: 'recorded' | 'replayed';
  return_id: string;
  recorded_code: string | null;
  recorded_value_date: string | null;
  recorded_at: Date;
  contribution_cents: string;
  contribution_returned_cents: string;
}

/** Exactly one row. */
export type RecordReturnRow = RecordedRow | { caller_is_live: boolean | null; outcome: ReturnRefusal };
