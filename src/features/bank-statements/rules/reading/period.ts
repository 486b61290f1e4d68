import type { Statement } from '@contribution-service/bank-files';

import { dayMs } from '../../../../shared/clock';
import type { StatementHead } from './statement';

type Period = Pick<StatementHead, 'from' | 'to' | 'startMs' | 'endMs' | 'isPeriodStated'>;

const halfDay = dayMs / 2;
const minute = 60_000;
/** The day of statements and lines that have no date at all. */
const unknownDay = '1970-01-01';

const isDay = (text: string): boolean => text.length === 10;
const dayAt = (time: number): string => new Date(time).toISOString().slice(0, 10);
/** A time without a zone is compared as one in UTC. */
const timeOf = (text: string): number =>
  Date.parse(isDay(text) || /(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);

const wholeDays = (from: string, to: string, isPeriodStated: boolean): Period => ({
  ...{ from, to, startMs: 0, endMs: dayMs, isPeriodStated },
});

/** A part of a day. If its lines all have one date, that is the day the bank means. */
function partOfDay(start: number, end: number, lineDays: readonly string[]): Period {
  const middle = dayAt((start + end) / 2);
  const [only = middle, ...others] = lineDays;
  const isOther = others.length === 0 && Math.abs(timeOf(only) - timeOf(middle)) <= dayMs;
  const day = isOther ? only : middle;
  return { from: day, to: day, startMs: start - timeOf(day), endMs: end - timeOf(day), isPeriodStated: true };
}

/** A period of 24 hours is the day with most of it, because banks state midnights of any zone. */
function statedPeriod({ from, to }: { from: string; to: string }, lineDays: readonly string[]): Period {
  const end = timeOf(to) + (isDay(to) ? dayMs : 0);
  if (isDay(from)) return wholeDays(from, dayAt(end - 1), true);
  const start = timeOf(from);
  if (end - start < dayMs - minute) return partOfDay(start, end, lineDays);
  return wholeDays(dayAt(start + halfDay - 1), dayAt(end - halfDay - 1), true);
}

/**
 * The days of a statement: the stated period, otherwise the days of its balances, otherwise those
 * of its lines, which do not show that it is complete.
 *
 * @param lineDays the distinct dates of its booked lines, sorted
 */
export function periodOf(
  { period, balances, madeAt }: Pick<Statement, 'period' | 'balances' | 'madeAt'>,
  lineDays: readonly string[],
): Period {
  if (period && timeOf(period.from) <= timeOf(period.to)) return statedPeriod(period, lineDays);
  const daysOf = (wanted: boolean): string[] =>
    balances.flatMap(({ isOpening, day }) => (isOpening === wanted && day !== null ? [day] : [])).sort();
  const closed = daysOf(false).at(-1);
  const opened = daysOf(true)[0] ?? lineDays[0];
  if (closed !== undefined)
    return wholeDays(opened !== undefined && opened < closed ? opened : closed, closed, true);
  const day = madeAt?.slice(0, 10) ?? unknownDay;
  return wholeDays(lineDays[0] ?? day, lineDays.at(-1) ?? day, false);
}
