import type { Database } from '../../db/pool/database';
import { query } from '../../db/query';
import type { DailyCents } from './matching/daily-cents';
import type { ReturnedMoney } from './matching/join-returns';
import { previousDay } from './matching/banking-days';
import { isOutdated, matchingRules } from './matching/matching-rules';
import { wholeDaysOf } from './matching/whole-days';
import { createPossiblePaymentsStore, type PossiblePaymentsStore } from './possible-payments.store';
import {
  byTransaction,
  createRecordedReturnsStore,
  type RecordedReturnsStore,
  returnedMoney,
  type ReturnRow,
} from './recorded-returns.store';
import type { EntryBodyRow } from './statement-rows';

/** The sums of one contribution's money in the statements of a viewer. */
export interface MoneyRow {
  transactionId: string;
  /** The environment of the contribution. */
  environmentId: number;
  grossCents: bigint;
  returnedCents: bigint;
  otherGrossCents: bigint;
  otherReturnedCents: bigint;
  isDecided: boolean;
  /** Null without a decision, and for decisions by earlier versions. */
  decidedAt: Date | null;
}

/** The whole days that a statement of an account covers. */
export interface CoveredPeriod {
  accountId: string;
  graceDays: number;
  /** Null if the account has no statement that covers a day. */
  from: string | null;
  to: string | null;
  /** The bank's number of a statement, if it states several for one day. */
  number: bigint | null;
  /** The balances before `from` and after `to`. Null if the statement does not state them. */
  openingCents: bigint | null;
  closingCents: bigint | null;
  /** The booked sums of its days, if it has several: see `dailyCentsOf`. */
  dailyCents: DailyCents | null;
}

// $1 viewer, $2 transaction_ids
const readMoney = query(
  'read_statement_money',
  `
  SELECT m.transaction_id, m.transaction_environment_id, m.gross_cents, m.returned_cents, m.other_gross_cents,
         m.other_returned_cents, m.is_decided, m.decided_at
    FROM statement_money m
   WHERE m.environment_id = $1 AND m.transaction_id = ANY ($2::text[])
  `,
);

// $1 viewer, $2 transaction_ids, $3 kind
const readStatedMoney = query(
  'read_stated_money',
  `
  SELECT a.transaction_id, a.amount_cents, e.bank_reference
    FROM allocations a
    JOIN statement_entries e ON e.environment_id = a.environment_id AND e.entry_id = a.entry_id
   WHERE a.environment_id = $1 AND a.transaction_id = ANY ($2::text[]) AND a.kind = $3 AND a.state = 'confirmed'
   ORDER BY e.entry_id
  `,
);

/** Banks end a day at 23:59 or later. */
const almostOneDayMs = 86_340_000;

// Excludes parts of a day, because they do not cover the day. A period of one millisecond means a
// whole day of a numbered statement (`statement-time.ts`).
const coverageOf = (accounts: string): string => `
  SELECT a.account_id, a.grace_days, st.period_from::text, st.period_to::text, st.sequence, st.starts_at_ms, st.ends_at_ms,
         st.opening_cents, st.closing_cents, st.daily_cents, st.received_on::text
    FROM statement_accounts a
    LEFT JOIN (
      SELECT s.account_id, s.period_from, s.period_to, s.sequence, s.starts_at_ms, s.ends_at_ms, s.opening_cents,
             s.closing_cents, s.daily_cents, (f.received_at AT TIME ZONE 'UTC')::date AS received_on
        FROM statements s
        JOIN statement_files f ON f.environment_id = s.environment_id AND f.file_id = s.file_id
       WHERE s.environment_id = $1 AND s.kind = 'final' AND s.balance <> 'unbalanced' AND s.period_from IS NOT NULL
         AND f.state = 'matched' AND f.voided_at IS NULL
         AND (s.ends_at_ms - s.starts_at_ms = 1 OR s.ends_at_ms - s.starts_at_ms >= ${almostOneDayMs})
    ) st ON st.account_id = a.account_id
   WHERE a.environment_id = $1 AND ${accounts}
   ORDER BY st.period_from, st.period_to, st.sequence, st.starts_at_ms
  `;

// $1 viewer
const readCoverage = query('read_statement_coverage', coverageOf('a.complete_coverage'));

// $1 viewer, $2 account_ids
const readAccountCoverage = query('read_account_coverage', coverageOf('a.account_id = ANY ($2::uuid[])'));

// $1 viewer, $2 transaction_id
const readEntriesOf = query(
  'read_entries_of_contribution',
  `
  SELECT e.entry_id, e.direction, e.amount_cents, e.charges_cents, e.currency, e.booking_date::text, e.bank_reference,
         e.return_code, e.outcome, e.reason, e.is_decided,
         a.transaction_id, a.kind, a.amount_cents AS allocated_cents, a.confidence, a.state
    FROM allocations a
    JOIN statement_entries e ON e.environment_id = a.environment_id AND e.entry_id = a.entry_id
   WHERE a.environment_id = $1 AND a.transaction_id = $2 AND a.state <> 'withdrawn' AND e.standing <> 'absent'
   ORDER BY e.booking_date, e.entry_id
  `,
);

// Includes voided files whose money may still count, and files that were matched by earlier rules
// than those of this process or of a newer one.
// $1 viewer, $2 version of the rules
const countFilesToCompare = query(
  'count_files_to_compare',
  `
  SELECT count(*)::integer AS files FROM statement_files f
   WHERE f.environment_id = $1
     AND (f.state = 'stored' OR ${isOutdated(
       'GREATEST($2, (SELECT p.rules FROM matching_progress p WHERE p.environment_id = $1))',
     )})
  `,
);

/** `Entry` is what is shown of the entries of a contribution. */
export interface PositionsStore<Entry = EntryBodyRow> extends PossiblePaymentsStore, RecordedReturnsStore {
  money(viewer: number, transactionIds: readonly string[]): Promise<Map<string, MoneyRow>>;
  /** The confirmed money in the viewer's statements, by transaction_id. */
  stated(
    viewer: number,
    transactionIds: readonly string[],
    kind: 'payment' | 'return',
  ): Promise<Map<string, ReturnedMoney[]>>;
  /** The covered periods of accounts with complete_coverage, in the order of time. */
  coverage(viewer: number): Promise<CoveredPeriod[]>;
  /** The same for these accounts, with or without complete_coverage. */
  coverageOfAccounts(viewer: number, accountIds: readonly string[]): Promise<CoveredPeriod[]>;
  entriesOf(viewer: number, transactionId: string): Promise<Entry[]>;
  /** The number of files whose entries are not all compared, or must be compared again. */
  filesToCompare(viewer: number): Promise<number>;
}

interface PeriodRow {
  /** The bank's number of the statement. */
  sequence: string | null;
  period_from: string | null;
  period_to: string | null;
  starts_at_ms: string | null;
  ends_at_ms: string | null;
}

function coveredDays(row: PeriodRow): Pick<CoveredPeriod, 'from' | 'to' | 'number'> {
  const [startsAtMs, endsAtMs] = [Number(row.starts_at_ms), Number(row.ends_at_ms)];
  // The row is a numbered statement of a whole day.
  if (row.period_from === null || endsAtMs - startsAtMs === 1) {
    const number = row.sequence === null ? null : BigInt(row.sequence);
    return { from: row.period_from, to: row.period_to, number };
  }
  const days = wholeDaysOf({ from: row.period_from, startsAtMs, endsAtMs }) ?? { from: null, to: null };
  return { ...days, number: null };
}

interface CoverageRow extends PeriodRow {
  account_id: string;
  grace_days: number;
  opening_cents: string | null;
  closing_cents: string | null;
  daily_cents: DailyCents | null;
  /** The day on which the file was received, in UTC. */
  received_on: string | null;
}

const centsOrNull = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

/**
 * A file cannot show money of days after its receipt. If its period includes such days, it may also
 * lack money of the day of receipt.
 */
function cutAtReceipt<Days extends Pick<CoveredPeriod, 'from' | 'to'>>(days: Days, receivedOn: string): Days {
  if (days.from === null || days.to === null || days.to <= receivedOn) return days;
  const to = previousDay(receivedOn);
  return days.from <= to ? { ...days, to } : { ...days, from: null, to: null };
}

/** The first or last day of a period can be partial. The balance of its whole days then differs. */
function toCoveredPeriod(row: CoverageRow): CoveredPeriod {
  const days = cutAtReceipt(coveredDays(row), row.received_on ?? '');
  const [openingCents, closingCents] = [centsOrNull(row.opening_cents), centsOrNull(row.closing_cents)];
  return {
    accountId: row.account_id,
    graceDays: row.grace_days,
    ...days,
    openingCents: days.from === row.period_from ? openingCents : null,
    closingCents: days.to === row.period_to ? closingCents : null,
    dailyCents: days.from === row.period_from ? row.daily_cents : null,
  };
}

export function createPositionsStore(database: Pick<Database, 'run'>): PositionsStore {
  return {
    ...createPossiblePaymentsStore(database),
    ...createRecordedReturnsStore(database),
    async money(viewer, transactionIds) {
      const rows = await database.run<{
        transaction_id: string;
        transaction_environment_id: number;
        gross_cents: string;
        returned_cents: string;
        other_gross_cents: string;
        other_returned_cents: string;
        is_decided: boolean;
        decided_at: Date | null;
      }>(readMoney, [viewer, transactionIds]);
      return new Map(
        rows.map((row) => [
          row.transaction_id,
          {
            transactionId: row.transaction_id,
            environmentId: row.transaction_environment_id,
            grossCents: BigInt(row.gross_cents),
            returnedCents: BigInt(row.returned_cents),
            otherGrossCents: BigInt(row.other_gross_cents),
            otherReturnedCents: BigInt(row.other_returned_cents),
            isDecided: row.is_decided,
            decidedAt: row.decided_at,
          },
        ]),
      );
    },
    async stated(viewer, transactionIds, kind) {
      const rows = await database.run<ReturnRow>(readStatedMoney, [viewer, transactionIds, kind]);
      return byTransaction(rows, returnedMoney);
    },
    async coverage(viewer) {
      return (await database.run<CoverageRow>(readCoverage, [viewer])).map(toCoveredPeriod);
    },
    async coverageOfAccounts(viewer, accountIds) {
      if (accountIds.length === 0) return [];
      return (await database.run<CoverageRow>(readAccountCoverage, [viewer, accountIds])).map(
        toCoveredPeriod,
      );
    },
    entriesOf: (viewer, transactionId) => database.run(readEntriesOf, [viewer, transactionId]),
    async filesToCompare(viewer) {
      const [row] = await database.run<{ files: number }>(countFilesToCompare, [viewer, matchingRules]);
      return row?.files ?? 0;
    },
  };
}
