import type { Position } from './position.field';

/** What the viewer's statements and the service know about the money of a contribution. */
export interface Money {
  expectedCents: bigint;
  isCompleted: boolean;
  /** Whether the viewer is a bank and another party completed it, so its money is elsewhere. */
  isOfAnother: boolean;
  /** The sum of the confirmed payments. */
  grossCents: bigint;
  /** The part of `grossCents` in payments whose amount differs from the expected amount. */
  otherGrossCents: bigint;
  /** The sum of the confirmed returns in statements. */
  returnedCents: bigint;
  /** The part of `returnedCents` in returns whose amount differs from the expected amount. */
  otherReturnedCents: bigint;
  /** The sum of the returns that were recorded with the service and are in no statement. */
  otherwiseReturnedCents: bigint;
  /** Whether complete statements cover the days until the money was due. */
  isDueDayCovered: boolean;
}

/** Positions that need no attention. */
const settled: ReadonlySet<Position> = new Set([
  'completed_by_another',
  'waiting',
  'unconfirmed',
  'matched',
  'returned',
  'partially_returned',
]);

/** The position by the first rule that applies. */
export function positionOf(money: Money): Position {
  const { expectedCents, isCompleted, grossCents } = money;
  const returned = money.returnedCents + money.otherwiseReturnedCents;
  const net = grossCents - returned;
  if (grossCents === 0n) {
    if (money.isOfAnother && money.returnedCents === 0n) return 'completed_by_another';
    if (returned > 0n) return 'returned_without_credit';
    if (!isCompleted) return 'waiting';
    return money.isDueDayCovered ? 'completed_without_money' : 'unconfirmed';
  }
  if (net <= 0n) return 'returned';
  if (net < expectedCents) return grossCents === expectedCents ? 'partially_returned' : 'short';
  if (net === expectedCents) return isCompleted ? 'matched' : 'money_without_completion';
  const isMultiple = net % expectedCents === 0n && money.otherGrossCents === money.otherReturnedCents;
  return isMultiple ? 'duplicate' : 'over';
}

/** Whether the position needs investigation. */
export const isOpen = (position: Position, isDecided: boolean): boolean =>
  !isDecided && !settled.has(position);
