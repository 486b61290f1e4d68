import { dayMs } from '../../../../shared/clock';

/**
 * Banking days in the United States: Monday to Friday without the holidays of the Federal Reserve.
 * Days are texts, YYYY-MM-DD. Source: federalreserve.gov, "Holidays Observed". A holiday on a
 * Sunday is observed on Monday. A holiday on a Saturday is not moved.
 */
const sunday = 0;
const monday = 1;
const thursday = 4;

const textOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The nth weekday of a month; `nth` starts at 1. */
function nthWeekday(year: number, month: number, weekday: number, nth: number): string {
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  return textOf(Date.UTC(year, month - 1, 1 + ((weekday - first + 7) % 7) + 7 * (nth - 1)));
}

function lastMonday(year: number, month: number): string {
  const last = new Date(Date.UTC(year, month, 0));
  return textOf(last.getTime() - ((last.getUTCDay() - monday + 7) % 7) * dayMs);
}

function fixedDay(year: number, month: number, day: number): string {
  const time = Date.UTC(year, month - 1, day);
  return textOf(new Date(time).getUTCDay() === sunday ? time + dayMs : time);
}

const holidaysByYear = new Map<number, ReadonlySet<string>>();

/** The holidays of the Federal Reserve in a year. */
function federalHolidays(year: number): ReadonlySet<string> {
  const known = holidaysByYear.get(year);
  if (known) return known;
  const holidays = new Set([
    fixedDay(year, 1, 1),
    nthWeekday(year, 1, monday, 3),
    nthWeekday(year, 2, monday, 3),
    lastMonday(year, 5),
    fixedDay(year, 6, 19),
    fixedDay(year, 7, 4),
    nthWeekday(year, 9, monday, 1),
    nthWeekday(year, 10, monday, 2),
    fixedDay(year, 11, 11),
    nthWeekday(year, 11, thursday, 4),
    fixedDay(year, 12, 25),
  ]);
  holidaysByYear.set(year, holidays);
  return holidays;
}

export function isBankingDay(day: string): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday >= 1 && weekday <= 5 && !federalHolidays(Number(day.slice(0, 4))).has(day);
}

/** The calendar day after this one. */
export const nextDay = (day: string): string => textOf(Date.parse(`${day}T00:00:00Z`) + dayMs);

/** The calendar day before this one. */
export const previousDay = (day: string): string => textOf(Date.parse(`${day}T00:00:00Z`) - dayMs);

/** The day that is this many banking days after a day. */
export function addBankingDays(day: string, count: number): string {
  let result = day;
  for (let left = count; left > 0;) {
    result = nextDay(result);
    if (isBankingDay(result)) left -= 1;
  }
  return result;
}

const newYork = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York', dateStyle: 'short' });

/** The calendar day in New York at this time. */
export const newYorkDay = (time: Date): string => newYork.format(time);
