import { isBankingDay, nextDay } from '../rules/days/banking-days';
import {
  type CalendarDay,
  calendarOf,
  coveredRanges,
  type DayQuestion,
  questionsOf,
} from '../rules/days/calendar';
import { differ } from '../rules/versions/join-pages';
import type { MonthDay } from './months.store';

/** Why a month cannot be closed, and where to go: the days of an account. */
export interface CloseReason {
  /** Null if the reason is the month itself. */
  accountId: string | null;
  kind:
    | 'month_not_over'
    /** An upload that is not read yet may change the month. */
    | 'upload_in_progress'
    /** Lines are being compared. */
    | 'has_work'
    /** A day could not be compared. */
    | 'failed'
    | DayQuestion['kind']
    | NonNullable<CalendarDay['reason']>
    /** No account has a statement of the month, or this one has only earlier ones or reports. */
    | 'no_statements'
    | 'lines_to_decide'
    /** Lines of reports count although a statement may have them. */
    | 'reported_lines'
    | 'decision_without_line';
  from: string;
  to: string;
  /** The number of lines to decide about. */
  lines?: number;
}

export interface MonthOfAccount {
  accountId: string;
  /** In order, with the last day with a version before the month, and the first one after it. */
  days: readonly MonthDay[];
  hasSeveralNumbers: boolean;
  /** The `between` of the questions that a person accepted. */
  accepted: ReadonlySet<string>;
  /** Whether a person says that the account has no statements, or no further ones, in the month. */
  isWithout: boolean;
}

/** Joins days that follow each other. */
function rangesOf(days: readonly string[]): { from: string; to: string }[] {
  const ranges: { from: string; to: string }[] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last && nextDay(last.to) === day) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}

/** The banking days of the period that no covered range has, without those that have a version. */
function missingDays(from: string, to: string, calendar: readonly CalendarDay[]): string[] {
  const ranges = coveredRanges(calendar);
  const stated = new Set(calendar.map(({ day }) => day));
  const missing: string[] = [];
  for (let day = from; day <= to; day = nextDay(day)) {
    const isCovered = ranges.some((range) => range.from <= day && day <= range.to);
    if (!isCovered && !stated.has(day) && isBankingDay(day)) missing.push(day);
  }
  return missing;
}

/** Whether the days of a gap are listed already. They end directly before its question. */
const isListed = (
  { kind, from }: { kind: DayQuestion['kind']; from: string },
  missing: readonly { to: string }[],
  calendar: readonly CalendarDay[],
): boolean =>
  kind === 'days_missing' &&
  missing.some(({ to }) => to < from && !calendar.some(({ day }) => to < day && day < from));

/**
 * Without statements, or without further ones, an account keeps a month open until a person says
 * that it has none. Balances that do not follow show that it has some.
 */
function coverageReasons(account: MonthOfAccount, first: string, last: string): CloseReason[] {
  const { accountId, days, hasSeveralNumbers, accepted, isWithout } = account;
  const of = (kind: CloseReason['kind'], from: string, to = from): CloseReason => ({
    ...{ accountId, kind, from, to },
  });
  const summaries = days.flatMap(({ summary }) => summary ?? []);
  const [start] = summaries;
  const isReported = days.some((one) => one.isReported && one.day >= first && one.day <= last);
  // The account starts later, or has nothing at all.
  if ((!start || start.day > last) && !isReported) return [];
  const calendar = calendarOf(summaries, { hasSeveralNumbers, accepted });
  const ofMonth = calendar.filter(({ day }) => day >= first && day <= last);
  const latest = summaries.findLast(({ day }) => day <= last);
  const next = summaries.find(({ day }) => day > last);
  const gaps = calendar.find(({ day }) => day > last)?.questions ?? [];
  const isProven = gaps.length > 0 && differ(latest?.closingCents ?? null, next?.openingCents ?? null);
  const follows = isWithout ? !isProven : !gaps.some(({ kind }) => kind === 'does_not_follow');
  const end = ofMonth.at(-1)?.day;
  const broken = next && !follows ? [of('does_not_follow', next.day)] : [];
  if (!start || end === undefined) return isWithout ? broken : [of('no_statements', first, last)];
  const missing = rangesOf(missingDays(start.day > first ? start.day : first, last, calendar)).filter(
    ({ from }) => !isWithout || from <= end,
  );
  return [
    ...questionsOf(ofMonth)
      .filter((question) => !isListed(question, missing, calendar))
      .map(({ kind, from, to }) => of(kind, from, to)),
    ...broken,
    ...ofMonth
      // The first day that is known is where the account starts.
      .filter(({ day, reason }) => !(day === start.day && reason === 'start_unknown'))
      .filter(({ day, reason }) => !(isWithout && day === end && reason === 'end_unknown'))
      .flatMap(({ day, reason }) => (reason === null ? [] : [of(reason, day)])),
    ...missing.map(({ from, to }) => of('days_missing', from, to)),
  ];
}

/** Why the days of an account keep a month open. */
export function closeReasonsOf(account: MonthOfAccount, first: string, last: string): CloseReason[] {
  const { accountId, days } = account;
  const busy = days.filter(({ day, hasWork }) => hasWork && day >= first && day <= last);
  const reasonOf = (kind: 'has_work' | 'failed', of: readonly MonthDay[]): CloseReason[] => {
    const [one, other] = [of[0], of.at(-1)];
    return one && other ? [{ accountId, kind, from: one.day, to: other.day }] : [];
  };
  const work = [
    ...reasonOf(
      'has_work',
      busy.filter(({ failures }) => failures === 0),
    ),
    ...reasonOf(
      'failed',
      busy.filter(({ failures }) => failures > 0),
    ),
  ];
  return [...work, ...coverageReasons(account, first, last)];
}
