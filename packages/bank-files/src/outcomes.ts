import { signedCents, type StatementEntry } from './statement-file';

/** Why an entry does not count as a payment, by the file alone. */
const problems = ['other_currency', 'not_booked', 'sums_differ', 'unreadable'] as const;
export type EntryProblem = (typeof problems)[number];

/** The outcome of an entry by the file alone, without a lookup of its ids. */
export const outcomes = [
  ...(['found', 'several_references', 'wrong_check_character', 'no_reference'] as const),
  ...problems,
] as const;
export type Outcome = (typeof outcomes)[number];

/** The outcome of an entry without a problem. */
export const idsOutcome = (count: number, isDamaged: boolean): Outcome => {
  if (count === 1) return 'found';
  if (count > 1) return 'several_references';
  return isDamaged ? 'wrong_check_character' : 'no_reference';
};

/** Whether the parts may replace their entry: each has an amount, and they add up to the entry. */
function sumToEntry({ parts, direction, amountCents, currency }: StatementEntry): boolean {
  if (parts.some((part) => part.amountCents === null || part.currency !== currency)) return false;
  const sum = parts.reduce((total, part) => total + signedCents(part.direction, part.amountCents ?? 0n), 0n);
  return sum === signedCents(direction, amountCents);
}

/** @returns null for a booked entry in dollars whose parts, if any, may replace it */
export function problemOf(entry: StatementEntry): EntryProblem | null {
  if (entry.unreadable !== null) return 'unreadable';
  if (entry.currency !== 'USD') return 'other_currency';
  if (!entry.isBooked) return 'not_booked';
  return entry.parts.length > 0 && !sumToEntry(entry) ? 'sums_differ' : null;
}
