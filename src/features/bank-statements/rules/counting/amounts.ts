import type { MatchResult } from '../../contributions/match-entry';
import type { StatementLine } from '../reading/statement';

/** What a line is worth: the match, and the part of it that the bank kept. */
export interface Worth {
  result: MatchResult;
  chargesCents: bigint;
}

type Amounts = Pick<StatementLine, 'cents' | 'chargesCents' | 'statedCents'>;
type FindMatch = (cents: bigint) => MatchResult;

const between = (least: bigint, cents: bigint, most: bigint): bigint =>
  cents < least ? least : cents > most ? most : cents;

const sumOf = ({ matches }: MatchResult): bigint =>
  matches.reduce((sum, { amountCents }) => sum + amountCents, 0n);

/**
 * A payment is worth the booked amount plus charges: up to the amount before deductions that the
 * bank states, otherwise up to the expected amount.
 */
export function worthOfPayment({ cents, chargesCents, statedCents }: Amounts, find: FindMatch): Worth {
  const result = find(cents);
  const { length } = result.matches;
  const missing = sumOf(result) - cents;
  if (length > 0 && missing === 0n) return { result, chargesCents: 0n };
  const most = statedCents === null ? chargesCents : between(0n, statedCents - cents, chargesCents);
  const deducted = statedCents === null && length === 1 ? between(0n, missing, most) : most;
  return deducted === 0n
    ? { result, chargesCents: 0n }
    : { result: find(cents + deducted), chargesCents: deducted };
}

/**
 * A return is worth the principal that the bank states, otherwise the expected amount, if charges
 * explain the rest. The rest is a charge.
 */
export function worthOfReturn({ cents, chargesCents, statedCents }: Amounts, find: FindMatch): Worth {
  const result = find(cents);
  const expected = result.matches.length === 1 ? sumOf(result) : cents;
  const rest = cents - (statedCents ?? expected);
  const fee =
    statedCents === null ? between(0n, rest, chargesCents) : rest >= 0n && rest <= chargesCents ? rest : 0n;
  return fee === 0n ? { result, chargesCents: 0n } : { result: find(cents - fee), chargesCents: fee };
}
