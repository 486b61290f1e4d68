import { isBankingDay, nextDay } from '../../rules/days/banking-days';
import type { Term } from '../../rules/days/reconciliation';
import { type AccountCalendar, type ReportDay, reportDaysOf } from '../days/account-calendar';
import type { AccountCalendars } from '../days/account-calendars';
import type { CalendarAccount } from '../days/calendar.store';
import { terms } from '../lines/lines.fields';
import type { NoteKind } from './reconciliation-statement.fields';
import type { TermSum, TermSumsStore } from './term-sums.store';

/** Why the numbers are not final. */
export interface ReconciliationNote {
  kind: NoteKind;
  /** The days that it is about. */
  from: string;
  to: string;
  /** The number of lines that it is about, if it is about lines. */
  lines: number | null;
}

/** Opening + the terms = closing. Signed cents. */
export interface ReconciliationStatement {
  account: CalendarAccount;
  openingCents: bigint | null;
  closingCents: bigint | null;
  terms: readonly { term: Term; cents: bigint; lines: number }[];
  /** Null if a balance is unknown, or lines belong to no statement. */
  isExact: boolean | null;
  notes: readonly ReconciliationNote[];
}

/** Returns with a charge belong to two terms. */
function termsOf(sums: readonly TermSum[]): ReconciliationStatement['terms'] {
  return terms.map((term) => {
    const own = sums.find((one) => one.term === term);
    const fees = term === 'charges' ? sums : [];
    return {
      term,
      cents: fees.reduce((sum, one) => sum + BigInt(one.fee_cents), BigInt(own?.term_cents ?? 0)),
      lines: fees.reduce((sum, one) => sum + one.lines_with_fee, own?.lines ?? 0),
    };
  });
}

/** Joins days that follow each other. */
function notesOf(kind: NoteKind, days: readonly ReportDay[]): ReconciliationNote[] {
  const notes: ReconciliationNote[] = [];
  for (const { day } of days) {
    const last = notes.at(-1);
    if (last && nextDay(last.to) === day) last.to = day;
    else notes.push({ kind, from: day, to: day, lines: null });
  }
  return notes;
}

/** Whether the day is no banking day, and before the first statement of the account. */
const isBeforeStart = ({ day }: ReportDay, { firstDay }: CalendarAccount): boolean =>
  firstDay !== null && day < firstDay && !isBankingDay(day);

/** The balances before the first and after the last day that a statement states. */
function balancesOf({ days }: AccountCalendar, from: string, to: string) {
  const stated = [...days.values()].filter(({ day, summary }) => summary && day >= from && day <= to);
  return {
    openingCents: stated[0]?.summary?.openingCents ?? null,
    closingCents: stated.at(-1)?.summary?.closingCents ?? null,
  };
}

export function createReconciliationStatements(calendars: AccountCalendars, store: TermSumsStore) {
  return {
    /** The reconciliation of some days, inclusive. */
    async of(
      environmentId: number,
      account: CalendarAccount,
      { from, to }: { from: string; to: string },
    ): Promise<ReconciliationStatement> {
      const sums = await store.sums(environmentId, account.accountId, from, to);
      const [calendar] = await calendars.of(environmentId, [account], { from, to });
      if (!calendar) throw new Error('an account has no calendar');
      const days = reportDaysOf(calendar, from, to);
      const { openingCents, closingCents } = balancesOf(calendar, from, to);
      const terms = termsOf(sums);
      const total = terms.reduce((sum, { cents }) => sum + cents, 0n);
      const reported = sums.reduce((sum, one) => sum + one.reported_lines, 0);
      const isKnown = openingCents !== null && closingCents !== null;
      const isExact = isKnown && reported === 0 ? openingCents + total === closingCents : null;
      const note = (kind: NoteKind, lines: number | null = null) => ({ kind, from, to, lines });
      return {
        ...{ account, openingCents, closingCents, terms, isExact },
        notes: [
          ...(isKnown ? [] : [note('no_balances')]),
          ...(reported > 0 ? [note('reported', reported)] : []),
          ...(isExact === false ? [note('not_exact')] : []),
          ...notesOf(
            'pending',
            days.filter(({ isPending }) => isPending),
          ),
          ...notesOf(
            'open',
            days.filter(({ state }) => state === 'open'),
          ),
          ...notesOf(
            'missing',
            days.filter((one) => one.state === 'missing' && !isBeforeStart(one, account)),
          ),
        ],
      };
    },
  };
}

export type ReconciliationStatements = ReturnType<typeof createReconciliationStatements>;
