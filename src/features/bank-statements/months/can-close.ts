import { isBankingDay, nextDay } from '../../statements/matching/banking-days';
import {
  type CalendarDay,
  calendarOf,
  coveredRanges,
  type DayQuestion,
  questionsOf,
} from '../rules/days/calendar';
import type { MonthDay } from './months.store';

/** Why a month cannot be closed, and where to go: the days of an account. */
export interface CloseReason {
  /** Null if the reason is the month itself. */
  accountId: string | null;
  kind:
    | 'month_not_over'
    /** Lines are being compared. */
    | 'has_work'
    /** A day could not be compared. */
    | 'failed'
    | DayQuestion['kind']
    | NonNullable<CalendarDay['reason']>
    /** The account has earlier statements, and none of the month. */
    | 'no_statements'
    | 'lines_to_decide'
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
  /** Whether a person says that the account has no statements in the month. */
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

function coverageReasons(account: MonthOfAccount, first: string, last: string): CloseReason[] {
  const { accountId, days, hasSeveralNumbers, accepted, isWithout } = account;
  const summaries = days.flatMap(({ summary }) => summary ?? []);
  const [start] = summaries;
  // The account has no statement at all, or starts later.
  if (!start || start.day > last) return [];
  const of = (kind: CloseReason['kind'], from: string, to = from): CloseReason => ({
    accountId,
    kind,
    from,
    to,
  });
  if (!summaries.some(({ day }) => day >= first && day <= last)) {
    return isWithout ? [] : [of('no_statements', first, last)];
  }
  const calendar = calendarOf(summaries, { hasSeveralNumbers, accepted });
  const isOfMonth = ({ day }: CalendarDay): boolean => day >= first && day <= last;
  const isFirst = ({ day }: CalendarDay): boolean => day === start.day;
  const asked = questionsOf(calendar.filter(isOfMonth));
  const next = calendar.find(({ day }) => day > last);
  const follows = next?.questions.some(({ kind }) => kind === 'does_not_follow') ?? false;
  return [
    ...asked.map(({ kind, from, to }) => of(kind, from, to)),
    ...(next && follows ? [of('does_not_follow', next.day)] : []),
    ...calendar
      // The first day that is known is where the account starts.
      .filter((day) => isOfMonth(day) && !(isFirst(day) && day.reason === 'start_unknown'))
      .flatMap(({ day, reason }) => (reason === null ? [] : [of(reason, day)])),
    ...rangesOf(missingDays(start.day > first ? start.day : first, last, calendar)).map(({ from, to }) =>
      of('days_missing', from, to),
    ),
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
