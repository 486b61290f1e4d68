import { dayMs } from '../../../../shared/clock';
import { isBankingDay, nextDay } from './banking-days';
import type { VersionQuestion } from '../versions/choose-version';
import { differ } from '../versions/join-pages';
import type { DaySummary } from './day-summary';

/** What a person must answer: choose a version, upload a file, void one, or accept. */
export interface DayQuestion {
  kind: VersionQuestion['kind'] | 'does_not_follow' | 'days_missing';
  versions: readonly string[];
  /** Names the balances that do not follow. An answer that accepts them ends when they change. */
  between: string;
}

/**
 * A day with a version. Days without one are missing, except between the days of `coveredRanges`.
 */
export interface CalendarDay {
  day: string;
  state: 'covered' | 'open' | 'missing';
  questions: readonly DayQuestion[];
  /** Why a day without a question is not covered. */
  reason: 'period_not_stated' | 'not_ended' | 'start_unknown' | 'end_unknown' | null;
  /** Whether nothing is missing between the day and the one before. */
  isContinued: boolean;
  /** Whether a person accepted that its balance does not follow, so money in between is unknown. */
  isDifferenceAccepted: boolean;
}

/** Whether there is no banking day between two days. */
function isJoined(one: string, other: string): boolean {
  let day = nextDay(one);
  while (day < other && !isBankingDay(day)) day = nextDay(day);
  return other <= day;
}

const isStill = ({ openingCents, closingCents }: DaySummary): boolean =>
  openingCents !== null && openingCents === closingCents;

/** Whether numbers are missing while no balance changes. Some banks number all days. */
function isNumberMissing(one: DaySummary, next: DaySummary, step: bigint | null): boolean {
  if (step === null || one.last.digest === next.first.digest || !isStill(one) || !isStill(next)) return false;
  const days = BigInt(Math.round((Date.parse(next.day) - Date.parse(one.day)) / dayMs));
  return step > 0n ? step > 1n && step !== days : next.first.number !== 1n;
}

/** What is missing between two days. The next number and balance show that it is nothing. */
function gapBetween(one: DaySummary, next: DaySummary): DayQuestion['kind'] | null {
  const [last, first] = [one.last.number, next.first.number];
  const step = last === null || first === null ? null : first - last;
  const isBroken = differ(one.closingCents, next.openingCents) || isNumberMissing(one, next, step);
  if (isJoined(one.day, next.day)) return isBroken ? 'does_not_follow' : null;
  return step === 1n && one.closingCents !== null && one.closingCents === next.openingCents
    ? null
    : 'days_missing';
}

function questionsOfDay(
  day: DaySummary,
  before: DaySummary | undefined,
  accepted: ReadonlySet<string>,
): DayQuestion[] {
  const gap = before && gapBetween(before, day);
  const all: DayQuestion[] = [
    ...(day.question ? [{ ...day.question, between: '' }] : []),
    ...(gap
      ? [{ kind: gap, versions: [], between: `${before.day} ${before.closingCents} ${day.openingCents}` }]
      : []),
    ...(day.hasGap ? [{ kind: 'does_not_follow' as const, versions: [], between: day.version }] : []),
  ];
  return all.filter(({ between }) => !accepted.has(between));
}

/** The days before are missing, or the lines of a closed month stay as they were. */
const leavesCovered: ReadonlySet<DayQuestion['kind']> = new Set(['days_missing', 'changed_after_close']);

const has = (questions: readonly DayQuestion[] | undefined, kind: DayQuestion['kind']): boolean =>
  questions?.some((question) => question.kind === kind) ?? false;

/**
 * Which days are covered: those that follow the day before and have no question. Balances miss four
 * gaps, which numbers show: a number that is missing within a day, numbers that are missing while
 * no balance changes, an unknown statement before a number other than 1, and the last day of a bank
 * with several numbers a day. They also miss the rest of the last day, if its statement ends early.
 *
 * @param days in order, with the last one before the period and the first one after it
 * @param options hasSeveralNumbers: whether the bank has numbered several statements of a day, so
 *   that more may follow. accepted: the `between` of the questions that a person accepted
 */
export function calendarOf(
  days: readonly DaySummary[],
  { hasSeveralNumbers, accepted }: { hasSeveralNumbers: boolean; accepted: ReadonlySet<string> },
): CalendarDay[] {
  const questions = days.map((day, at) => questionsOfDay(day, days[at - 1], accepted));
  return days.map(
    ({ day, first, last, isNumbered, isPeriodStated, coversTo, endsEarly, openingCents }, at) => {
      const [own = [], next] = [questions[at], questions[at + 1]];
      const isFirst = at === 0;
      const isAfterGap = has(own, 'days_missing');
      const isContinued = !isFirst && !isAfterGap && !has(own, 'does_not_follow');
      const isAlone = isFirst ? first.from === first.to : isAfterGap;
      // The next day has the next number, so the bank makes one statement a day.
      const isDaily =
        !hasSeveralNumbers && last.number !== null && days[at + 1]?.first.number === last.number + 1n;
      const isLast = next === undefined || has(next, 'days_missing');
      const reasons = [
        ...(isPeriodStated ? [] : ['period_not_stated' as const]),
        ...(day > coversTo ? ['not_ended' as const] : []),
        ...(isNumbered && isAlone && first.number !== 1n && !isDaily ? ['start_unknown' as const] : []),
        ...(isLast && (endsEarly || (isNumbered && hasSeveralNumbers)) ? ['end_unknown' as const] : []),
      ];
      const isOpen = own.some(({ kind }) => !leavesCovered.has(kind)) || has(next, 'does_not_follow');
      return {
        ...{ day, questions: own, reason: reasons[0] ?? null },
        state: isOpen ? 'open' : reasons.length > 0 ? 'missing' : 'covered',
        isContinued,
        isDifferenceAccepted: isContinued && differ(days[at - 1]?.closingCents ?? null, openingCents),
      };
    },
  );
}

/** The covered days that follow each other, with the days between them that are no banking days. */
export function coveredRanges(days: readonly CalendarDay[]): { from: string; to: string }[] {
  const ranges: { from: string; to: string }[] = [];
  for (const [at, { day, state, isContinued }] of days.entries()) {
    const last = ranges.at(-1);
    if (state !== 'covered') continue;
    if (last && isContinued && days[at - 1]?.state === 'covered') last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}

/** The questions of a person: one for each statement, not for each day of a long one. */
export function questionsOf(days: readonly CalendarDay[]): (DayQuestion & { from: string; to: string })[] {
  const found = new Map<string, DayQuestion & { from: string; to: string }>();
  for (const { day, questions } of days) {
    for (const question of questions) {
      const key = JSON.stringify(question);
      found.set(key, { ...question, from: found.get(key)?.from ?? day, to: day });
    }
  }
  return [...found.values()];
}
