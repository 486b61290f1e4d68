import type { ReconciledEntry } from './matching/entries-of-class';

/** An entry as `put_statement_entries` reads it. */
export const entryRow = (entry: ReconciledEntry) => ({
  entry_id: entry.entryId,
  class_key: entry.classKey,
  occurrence: entry.occurrence,
  account_id: entry.accountId,
  standing: entry.standing,
  direction: entry.direction,
  amount_cents: entry.amountCents?.toString() ?? null,
  charges_cents: entry.chargesCents.toString(),
  currency: entry.currency,
  booking_date: entry.bookingDate,
  bank_reference: entry.bankReference,
  return_code: entry.returnCode,
  outcome: entry.outcome,
  reason: entry.reason,
  is_decided: entry.isDecided,
  waits_for: entry.waitsFor,
  line_key: entry.lineKey,
});

/** Its allocations as `put_statement_entries` reads them. */
export const allocationRows = ({ entryId, allocations }: ReconciledEntry) =>
  allocations.map((allocation) => ({
    entry_id: entryId,
    transaction_id: allocation.transactionId,
    transaction_environment_id: allocation.environmentId,
    kind: allocation.kind,
    amount_cents: allocation.cents.toString(),
    expected_cents: allocation.amountCents.toString(),
    confidence: allocation.confidence,
    state: allocation.isConfirmed ? 'confirmed' : 'proposed',
  }));
