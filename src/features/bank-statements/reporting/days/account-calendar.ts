import { isBankingDay, nextDay } from '../../rules/days/banking-days';
import {
  type CalendarDay,
  calendarOf,
  coveredRanges,
  type DayQuestion,
  questionsOf,
} from '../../rules/days/calendar';
import type { VersionChoice } from '../../rules/versions/day-version';
import { dayReasons, failedText, missingDayTexts, pendingText, questionTexts } from '../sentences';
import type { CalendarAccount, KnownDay } from './calendar.store';

/** The days of an account that were read, and what they show together. */
export interface AccountCalendar {
  account: CalendarAccount;
  days: ReadonlyMap<string, KnownDay>;
  calendar: readonly CalendarDay[];
  /** The covered days, in order. */
  ranges: readonly { from: string; to: string }[];
}

/** A question about some days of an account. */
export interface ReportQuestion extends Omit<DayQuestion, 'kind'> {
  kind: DayQuestion['kind'] | 'decision_without_line';
  accountId: string;
  /** The line of a decision without a line. */
  entryId: string | null;
  from: string;
  to: string;
  /** As the first day has them. Empty if the question is about a gap. */
  choices: readonly VersionChoice[];
  /** The version that the first day has. */
  chosen: string | null;
  /** The balances on both sides of a gap. */
  closingBeforeCents: bigint | null;
  openingCents: bigint | null;
}

/** A calendar day of an account. */
export interface ReportDay {
  day: string;
  state: CalendarDay['state'];
  /** Why it is not covered or not final, and what to do. */
  reason: string | null;
  openingCents: bigint | null;
  closingCents: bigint | null;
  changeCents: bigint | null;
  format: string | null;
  statementIds: readonly string[];
  isPending: boolean;
  /** Each question is at its first day of the range. */
  questions: readonly ReportQuestion[];
}

export function accountCalendarOf(
  account: CalendarAccount,
  days: readonly KnownDay[],
  accepted: ReadonlySet<string> = new Set(),
): AccountCalendar {
  const summaries = days.flatMap(({ summary }) => summary ?? []);
  const { hasSeveralNumbers } = account;
  const calendar = calendarOf(summaries, { hasSeveralNumbers, accepted });
  return {
    ...{ account, calendar, ranges: coveredRanges(calendar) },
    days: new Map(days.map((one) => [one.day, one])),
  };
}

/** The versions to choose from. The version of the day is known from the day itself. */
function choicesOf({ versions }: DayQuestion, { choices, summary, statementIds }: KnownDay): VersionChoice[] {
  const known = new Map(choices.map((one) => [one.version, one]));
  if (summary && !known.has(summary.version)) {
    const { version, openingCents, closingCents, changeCents } = summary;
    const own = { version, statementIds, lines: null, openingCents, closingCents, changeCents };
    known.set(version, own);
  }
  return versions.flatMap((version) => known.get(version) ?? []);
}

/** A question that is about one day and no version. */
export const questionOfDay = (
  accountId: string,
  day: string,
  about: Pick<ReportQuestion, 'kind' | 'versions' | 'entryId'>,
): ReportQuestion => ({
  ...{ ...about, accountId, from: day, to: day, between: '', choices: [], chosen: null },
  ...{ closingBeforeCents: null, openingCents: null },
});

/** A question about a day without a version: a statement came after its month was closed. */
const afterClose = ({ accountId, day, question }: KnownDay): ReportQuestion[] =>
  question ? [questionOfDay(accountId, day, { ...question, entryId: null })] : [];

/** The questions about days up to `to`, from the first one that has a day since `from`. */
export function questionsIn(of: AccountCalendar, from: string, to: string): ReportQuestion[] {
  const { account, calendar, days } = of;
  const asked = questionsOf(calendar).filter((one) => one.to >= from && one.from <= to);
  const ofVersions = asked.flatMap((question) => {
    const first = days.get(question.from);
    const before = calendar.findLast(({ day }) => day < question.from);
    return first
      ? {
          ...{ ...question, accountId: account.accountId, choices: choicesOf(question, first) },
          ...{ chosen: first.summary?.version ?? null, entryId: null },
          closingBeforeCents: (before && days.get(before.day)?.summary?.closingCents) ?? null,
          openingCents: first.summary?.openingCents ?? null,
        }
      : [];
  });
  const ofOthers = [...days.values()]
    .filter(({ day, summary }) => summary === null && day >= from && day <= to)
    .flatMap(afterClose);
  return [...ofVersions, ...ofOthers].sort((one, other) => (one.from < other.from ? -1 : 1));
}

/** Why a day with a version is not covered, as a sentence. */
function reasonOf({ questions, reason, state }: CalendarDay, next: CalendarDay | undefined): string | null {
  const own = questions.find(({ kind }) => kind !== 'days_missing');
  if (own) return questionTexts[own.kind];
  if (state === 'open' && next) return `The day ${next.day} does not follow it. Answer its question.`;
  return reason === null ? null : dayReasons[reason];
}

function dayWithVersion(own: CalendarDay, next: CalendarDay | undefined, known: KnownDay) {
  const { openingCents = null, closingCents = null, changeCents = null } = known.summary ?? {};
  return { state: own.state, reason: reasonOf(own, next), openingCents, closingCents, changeCents };
}

const unknown = { openingCents: null, closingCents: null, changeCents: null };

function dayWithoutVersion(day: string, { account, calendar, ranges, days }: AccountCalendar) {
  const before = calendar.findLast((one) => one.day < day);
  const next = calendar.find((one) => one.day > day);
  if (ranges.some(({ from, to }) => from < day && day < to)) {
    const cents = (before && days.get(before.day)?.summary?.closingCents) ?? null;
    const change = cents === null ? null : 0n;
    return {
      state: 'covered' as const,
      reason: null,
      openingCents: cents,
      closingCents: cents,
      changeCents: change,
    };
  }
  const { firstDay, lastDay } = account;
  const { question } = days.get(day) ?? {};
  if (question) return { ...unknown, state: 'open' as const, reason: questionTexts[question.kind] };
  if (firstDay === null || lastDay === null)
    return { ...unknown, state: 'missing' as const, reason: missingDayTexts.none };
  const isBeside =
    before && next && !isBankingDay(day) && !next.questions.some(({ kind }) => kind === 'days_missing');
  if (isBeside) return { ...unknown, state: 'open' as const, reason: missingDayTexts.beside_open };
  const place = day < firstDay ? 'before' : day > lastDay ? 'after' : 'between';
  return { ...unknown, state: 'missing' as const, reason: missingDayTexts[place] };
}

/** Each calendar day of a range, inclusive. The days of the range must have been read. */
export function reportDaysOf(of: AccountCalendar, from: string, to: string): ReportDay[] {
  const questions = questionsIn(of, from, to);
  const found: ReportDay[] = [];
  for (let day = from; day <= to; day = nextDay(day)) {
    const at = of.calendar.findIndex((one) => one.day === day);
    const [own, known] = [of.calendar[at], of.days.get(day)];
    const told = own && known ? dayWithVersion(own, of.calendar[at + 1], known) : dayWithoutVersion(day, of);
    const { hasWork = false, hasFailed = false, format = null, statementIds = [] } = known ?? {};
    found.push({
      ...{ day, ...told, format, statementIds, isPending: hasWork },
      ...(hasFailed && { state: 'open' as const }),
      reason: hasFailed ? failedText : hasWork ? pendingText : told.reason,
      questions: questions.filter((one) => day === (one.from < from ? from : one.from)),
    });
  }
  return found;
}
