import { dayMs } from '../../../shared/clock';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/**
 * In the time zones from US Pacific Time (UTC-8) eastward to New Zealand, a day starts at most this
 * late in UTC. A later start is not a midnight.
 */
const westernmostMs = 8 * hourMs;
/** The zone of New York, for a statement that does not start at midnight. */
const newYorkMs = 5 * hourMs;
/** Banks may end a day at 23:59, and clocks may change within the period. */
const toleranceMs = hourMs + minuteMs;

const midnightOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayAt = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** A period as a bank states it. */
export interface StatedPeriod {
  /** YYYY-MM-DD, in the zone of the bank. */
  from: string;
  startsAtMs: number;
  endsAtMs: number;
}

/**
 * The whole days that a statement covers. Money of a partial day may be in another statement. The
 * start reveals the zone: midnight in New York is 5:00 in UTC.
 *
 * @returns undefined if it covers no whole day
 */
export function wholeDaysOf({
  from,
  startsAtMs,
  endsAtMs,
}: StatedPeriod): { from: string; to: string } | undefined {
  const sinceMidnightMs = startsAtMs - midnightOf(from);
  const isMidnight = sinceMidnightMs <= westernmostMs;
  const first = isMidnight ? from : dayAt(midnightOf(from) + dayMs);
  const zoneMs = isMidnight ? sinceMidnightMs : newYorkMs;
  const to = dayAt(Math.floor((endsAtMs - zoneMs + toleranceMs) / dayMs) * dayMs - 1);
  return first <= to ? { from: first, to } : undefined;
}
