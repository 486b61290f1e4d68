import type { EntryProblem } from '@contribution-service/bank-files';

import type { ClassSource } from './matching/class-source';
import type { StoredSearch } from './matching/match-entry';

/** A stored line with the properties of its statement, as the database returns it. */
export interface SourceRow {
  class_key: string;
  parent_key: string | null;
  file_id: string;
  format: string;
  statement_number: number;
  occurrence: number;
  has_reference: boolean;
  direction: 'credit' | 'debit';
  amount_cents: string | null;
  charges_cents: string;
  currency: string;
  booking_date: string | null;
  bank_reference: string | null;
  problem: EntryProblem | null;
  return_code: string | null;
  search: StoredSearch;
  starts_at_ms: string;
  ends_at_ms: string;
  is_period_known: boolean;
  made_at: string | null;
  start_balance: string | null;
  kind: string;
  balance: string;
  account_id: string;
  account_direction: 'credit' | 'debit';
  has_parts: boolean;
  is_doubtful: boolean;
}

export const toSource = (row: SourceRow): ClassSource => ({
  fileId: row.file_id,
  format: row.format,
  use: row.has_parts ? 'none' : 'certain',
  statementNumber: row.statement_number,
  startsAtMs: Number(row.starts_at_ms),
  endsAtMs: Number(row.ends_at_ms),
  isTimeKnown: row.is_period_known,
  madeAt: row.made_at,
  isFinal: row.kind === 'final',
  isUnbalanced: row.balance === 'unbalanced',
  isCovered: false,
  isDoubtful: row.is_doubtful,
  startBalance: row.start_balance,
  accountId: row.account_id,
  accountDirection: row.account_direction,
  occurrence: row.occurrence,
  hasReference: row.has_reference,
  direction: row.direction,
  amountCents: row.amount_cents === null ? null : BigInt(row.amount_cents),
  chargesCents: BigInt(row.charges_cents),
  currency: row.currency,
  bookingDate: row.booking_date,
  bankReference: row.bank_reference,
  problem: row.problem,
  returnCode: row.return_code,
  search: row.search,
});
