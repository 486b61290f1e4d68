import type { Position } from './position.field';

/** What the viewer's statements and the service know about the money of a contribution. */
export interface Money {
  expectedCents: bigint;
  isCompleted: boolean;
  /** Confirmed payments. */
  grossCents: bigint;
  /** The part of `grossCents` in payments of another amount than expected. */
  otherGrossCents: bigint;
  /** Confirmed returns of the statements. */
  returnedCents: bigint;
  /** The part of `returnedCents` in returns of another amount than expected. */
  otherReturnedCents: bigint;
  /** Returns that were recorded with the service and are in no statement. */
  otherwiseReturnedCents: bigint;
  /** Whether complete statements cover the day by which the money was due. */
  isDueDayCovered: boolean;
}

/** Positions that need no attention. */
const settled: ReadonlySet<Position> = new Set([
  'waiting',
  'unconfirmed',
  'matched',
  'returned',
  'partially_returned',
]);

/** The first rule that applies. */
export function positionOf(money: Money): Position {
  const { expectedCents, isCompleted, grossCents } = money;
  const returned = money.returnedCents + money.otherwiseReturnedCents;
  const net = grossCents - returned;
  if (grossCents === 0n) {
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
