/** A row of the database: an entry with one of its allocations. */
export interface EntryBodyRow {
  entry_id: string;
  direction: 'credit' | 'debit';
  amount_cents: string | null;
  charges_cents: string;
  currency: string;
  booking_date: string | null;
  bank_reference: string | null;
  return_code: string | null;
  outcome: string;
  reason: string | null;
  is_decided: boolean;
  /** Null for an entry without allocations. */
  transaction_id: string | null;
  kind: string | null;
  allocated_cents: string | null;
  confidence: string | null;
  state: string | null;
}

/** An uploaded file with one of its statements. */
export interface FileBodyRow {
  file_id: string;
  state: string;
  format: string;
  version: string | null;
  received_at: Date;
  entry_count: number;
  matched_count: number;
  /** Present only in the row of the first statement. */
  problems: { line: number; message: string }[];
  voided_at: Date | null;
  void_reason: string | null;
  number: number;
  account_id: string;
  ending: string | null;
  bank_statement_id: string | null;
  kind: string;
  period_from: string | null;
  period_to: string | null;
  opening_cents: string | null;
  closing_cents: string | null;
  balance: string;
  continuity: string;
  statement_entries: number;
}
