import type { EntryOutcome } from '../../statement.fields';
import type { JudgedLine } from '../../rules/counting/judge-line';
import type { Term } from '../../rules/days/reconciliation';

/** The part of a line for one contribution. Amounts are cents as text. */
export interface ReportAllocation {
  transaction_id: string;
  kind: 'payment' | 'return';
  amount_cents: string;
  confidence: 'exact' | 'normalized' | 'repaired' | 'settlement' | 'decision';
  state: 'proposed' | 'confirmed';
}

/** The version or the statement that has a line instead. */
export interface Replacement {
  statement_ids: string[];
  file_ids: string[];
}

/** A line of a statement and what it is. Amounts are cents as text. */
export interface ReportLine {
  /** Null for a line that another statement replaces, and before the line was compared. */
  entry_id: string | null;
  account_id: string;
  ending: string | null;
  name: string | null;
  file_id: string;
  statement_id: string;
  format: string;
  bank_statement_id: string | null;
  statement_number: string | null;
  /** In its statement, from 1. */
  number: number;
  /** 0, or the number of a part that a notification supplied. */
  part: number;
  day: string;
  own_day: string | null;
  direction: 'credit' | 'debit';
  amount_cents: string;
  charges_cents: string;
  reference: string | null;
  return_code: string | null;
  code: string | null;
  /** Null before the line was compared. */
  state: 'counted' | 'proposed' | 'replaced' | null;
  outcome: EntryOutcome | null;
  reason: JudgedLine['reason'];
  is_decided: boolean;
  /** Whether the lines of its day are being compared. */
  is_pending: boolean;
  term: Term | null;
  term_cents: string;
  fee_cents: string;
  allocations: ReportAllocation[];
  replaced_by: Replacement | null;
}

/** The statements that have the same line. */
export interface LineSource {
  file_id: string;
  statement_id: string;
  format: string;
  bank_statement_id: string | null;
  statement_number: string | null;
  made_at: string | null;
  state: 'counted' | 'proposed' | 'replaced';
  lines: number;
}
