import { groupBy } from '../../shared/group-by';
import { formatCents } from '../../shared/money';
import type { Days } from './coverage';
import type { FileCheck } from './statement-imports.service';
import type { AccountBody } from './statement-accounts.contract';
import type { AccountRow } from './statement-accounts.store';
import type { EntryBody, FileBody, UploadedFileBody } from './statements.contract';
import type { EntryBodyRow, FileBodyRow } from './statement-rows';

export const signedDollars = (cents: bigint): string =>
  cents < 0n ? `-${formatCents(-cents)}` : formatCents(cents);

const dollarsOf = (cents: string | null): string | null =>
  cents === null ? null : signedDollars(BigInt(cents));

/** The rows of one file, one for each of its statements. */
function presentFile(rows: readonly FileBodyRow[]): FileBody {
  const [file] = rows;
  if (!file) throw new Error('a file has no rows');
  return {
    file_id: file.file_id,
    state: file.state as FileBody['state'],
    format: file.format,
    version: file.version,
    received_at: file.received_at.toISOString(),
    entries: file.entry_count,
    matched_entries: file.matched_count,
    problems: file.problems,
    // A file has no statements if the upload was interrupted before they were stored.
    statements: rows
      .filter((row) => (row.number as number | null) !== null)
      .map((row) => ({
        number: row.number,
        account_id: row.account_id,
        account_ending: row.ending,
        bank_statement_id: row.bank_statement_id,
        kind: row.kind as 'final',
        period_from: row.period_from,
        period_to: row.period_to,
        opening_balance: dollarsOf(row.opening_cents),
        closing_balance: dollarsOf(row.closing_cents),
        balance: row.balance as 'balanced',
        continuity: row.continuity as 'continuous',
        entries: row.statement_entries,
      })),
    voided_at: file.voided_at?.toISOString() ?? null,
    void_reason: file.void_reason,
  };
}

/** @param covered the latest days that its statements cover without a gap */
export const presentAccount = (row: AccountRow, covered: Days | undefined): AccountBody => ({
  account_id: row.account_id,
  account_ending: row.ending,
  account_name: row.name,
  direction: row.direction,
  complete_coverage: row.complete_coverage,
  grace_days: row.grace_days,
  covered_from: covered?.from ?? null,
  covered_to: covered?.to ?? null,
  created_at: row.created_at.toISOString(),
});

/** The files, in the order of their rows. */
export const presentFiles = (rows: readonly FileBodyRow[]): FileBody[] =>
  [...groupBy(rows, (row) => row.file_id).values()].map(presentFile);

/** A file that was only checked. Its ids are zeros, because nothing is stored. */
export function presentChecked({ file, outcomes }: FileCheck, receivedAt: Date): UploadedFileBody {
  const nothing = '00000000-0000-0000-0000-000000000000';
  return {
    file_id: nothing,
    state: 'checked',
    format: file.format,
    version: file.version,
    received_at: receivedAt.toISOString(),
    entries: file.entryCount,
    matched_entries: 0,
    problems: file.problems,
    statements: file.statements.map((statement, at) => ({
      number: at + 1,
      account_id: nothing,
      account_ending: statement.accountEnding,
      bank_statement_id: statement.id,
      kind: statement.kind,
      period_from: statement.time.periodFrom,
      period_to: statement.time.periodTo,
      opening_balance: dollarsOf(statement.openingCents?.toString() ?? null),
      closing_balance: dollarsOf(statement.closingCents?.toString() ?? null),
      balance: statement.balance,
      continuity: 'not_checked',
      entries: statement.entryCount,
    })),
    voided_at: null,
    void_reason: null,
    outcomes,
  };
}

function presentEntry(rows: readonly EntryBodyRow[]): EntryBody {
  const [entry] = rows;
  if (!entry) throw new Error('an entry has no rows');
  return {
    entry_id: entry.entry_id,
    direction: entry.direction,
    amount: dollarsOf(entry.amount_cents),
    charges: signedDollars(BigInt(entry.charges_cents)),
    currency: entry.currency,
    booking_date: entry.booking_date,
    bank_reference: entry.bank_reference,
    return_code: entry.return_code,
    outcome: entry.outcome as EntryBody['outcome'],
    reason: entry.reason,
    is_decided: entry.is_decided,
    allocations: rows.flatMap((row) =>
      row.transaction_id === null
        ? []
        : [
            {
              transaction_id: row.transaction_id,
              kind: row.kind as 'payment',
              amount: signedDollars(BigInt(row.allocated_cents ?? '0')),
              confidence: row.confidence as 'exact',
              state: row.state as 'confirmed',
            },
          ],
    ),
  };
}

/** The entries, in the order of their rows. */
export const presentEntries = (rows: readonly EntryBodyRow[]): EntryBody[] =>
  [...groupBy(rows, (row) => row.entry_id).values()].map(presentEntry);
