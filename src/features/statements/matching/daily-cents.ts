import { signedCents, type Statement } from '@contribution-service/bank-files';

import type { StatementTime } from './statement-time';

/** The booked sums in cents, as text, by day. A day without entries is absent. */
export type DailyCents = Readonly<Record<string, string>>;

/** More days are not stored, because every request for positions reads them. */
const mostDays = 62;

/**
 * The booked sums of a statement of several days. They give its balance on each day, to compare it
 * with statements that overlap it.
 *
 * @returns null if the balance of a day is unknown: a total is wrong, or an entry has no day of the
 *   period
 */
export function dailyCentsOf(
  { balance, entries }: Pick<Statement, 'balance' | 'entries'>,
  { periodFrom, periodTo }: Pick<StatementTime, 'periodFrom' | 'periodTo'>,
): DailyCents | null {
  if (balance !== 'balanced' || periodFrom === null || periodTo === null || periodFrom === periodTo) {
    return null;
  }
  const sums = new Map<string, bigint>();
  for (const { isBooked, bookingDate, direction, amountCents } of entries) {
    if (!isBooked) continue;
    if (bookingDate === null || bookingDate < periodFrom || bookingDate > periodTo) return null;
    sums.set(bookingDate, (sums.get(bookingDate) ?? 0n) + signedCents(direction, amountCents));
    if (sums.size > mostDays) return null;
  }
  return Object.fromEntries([...sums].map(([day, cents]) => [day, String(cents)]));
}
