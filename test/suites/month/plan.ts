import { addBankingDays, isBankingDay } from '../../../src/features/bank-statements/rules/days/banking-days';
import type { Position } from '../../../src/features/bank-statements/reporting/positions/position.field';

/** What happens to the money of a contribution. */
export const fates = [
  'paid',
  'mangled reference',
  'part of a batch entry',
  'charges taken off',
  'part of one transfer',
  'part of a listed transfer',
  'paid before its completion',
  'short',
  'over',
  'paid twice',
  'paid twice with equal lines',
  'returned',
  'returned in part',
  'returned and recorded',
  'completed without money',
  'reference with a wrong character',
  'paid and never completed',
  'never paid',
] as const;

export type Fate = (typeof fates)[number];

/** A contribution, with what the statements of the bank must show. */
export interface Planned {
  number: number;
  fate: Fate;
  cents: bigint;
  /** The day of the transfer. */
  day: string;
  /** The bank's reference of the transfer, if it completes with one. */
  bankReference: string | undefined;
  isCompleted: boolean;
  position: Position;
  /**
   * The position in the company's own statements. There, one transfer a day pays what the bank
   * completed.
   */
  companyPosition: Position;
}

const positionOf: Readonly<Record<Fate, Position>> = {
  paid: 'matched',
  'mangled reference': 'matched',
  'part of a batch entry': 'matched',
  'charges taken off': 'matched',
  'part of one transfer': 'matched',
  'part of a listed transfer': 'matched',
  'paid before its completion': 'matched',
  short: 'short',
  over: 'over',
  'paid twice': 'duplicate',
  'paid twice with equal lines': 'duplicate',
  returned: 'returned',
  'returned in part': 'partially_returned',
  'returned and recorded': 'returned',
  'completed without money': 'completed_without_money',
  'reference with a wrong character': 'completed_without_money',
  'paid and never completed': 'money_without_completion',
  'never paid': 'waiting',
};

/** The number of contributions in 200 with this outcome. The others are paid in full. */
const shares: readonly (readonly [Fate, number])[] = [
  ['part of one transfer', 30],
  ['mangled reference', 16],
  ['part of a batch entry', 20],
  ['charges taken off', 6],
  ['part of a listed transfer', 6],
  ['paid before its completion', 10],
  ['short', 6],
  ['over', 4],
  ['paid twice', 4],
  ['paid twice with equal lines', 2],
  ['returned', 4],
  ['returned in part', 4],
  ['returned and recorded', 2],
  ['completed without money', 6],
  ['reference with a wrong character', 4],
  ['paid and never completed', 6],
  ['never paid', 4],
];

const pattern: readonly Fate[] = [
  ...shares.flatMap(([fate, count]) => Array.from({ length: count }, () => fate)),
  ...Array.from({ length: 200 }, (): Fate => 'paid'),
].slice(0, 200);

const pending: ReadonlySet<Fate> = new Set(['paid and never completed', 'never paid']);

/** Numbers that look random and are the same in every run with a seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The banking days of the month that ends with the last complete day. */
export function bankingDays(today: string, count: number): string[] {
  const days: string[] = [];
  for (let time = Date.parse(`${today}T00:00:00Z`) - 86_400_000; days.length < count; time -= 86_400_000) {
    const day = new Date(time).toISOString().slice(0, 10);
    if (isBankingDay(day)) days.unshift(day);
  }
  return days;
}

/** Days after the last transfer, so that the statements cover every due day. */
const daysOfGrace = 3;

/** @param days banking days; the last ones get no transfers */
export function planMonth(count: number, days: readonly string[], random: () => number): Planned[] {
  const transferDays = days.slice(0, -daysOfGrace - 1);
  const bigDay = transferDays[Math.floor(transferDays.length / 2)] ?? '';
  if (addBankingDays(transferDays.at(-1) ?? '', daysOfGrace) > (days.at(-1) ?? '')) {
    throw new Error('the statements do not cover the last due day');
  }
  return Array.from({ length: count }, (_, number): Planned => {
    const fate = pattern[Math.floor(random() * pattern.length)] ?? 'paid';
    // One transfer pays the contributions of one day.
    const day =
      fate === 'part of one transfer'
        ? bigDay
        : (transferDays[Math.floor(random() * transferDays.length)] ?? bigDay);
    const isCompleted = !pending.has(fate);
    return {
      number,
      fate,
      cents: BigInt(10_00 + Math.floor(random() * 200_00)),
      day,
      bankReference: fate === 'part of one transfer' ? `BULK-${day}` : undefined,
      isCompleted,
      position: positionOf[fate],
      // A recorded return counts for both parties. Returns in the bank's statements count for the
      // bank only.
      companyPosition: fate === 'returned and recorded' ? 'returned' : isCompleted ? 'matched' : 'waiting',
    };
  });
}
