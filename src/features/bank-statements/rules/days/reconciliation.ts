import { signedCents } from '@contribution-service/bank-files';

import type { JudgedLine } from '../counting/judge-line';
import { isMoney } from '../reading/statement';
import type { DaySummary } from './day-summary';

export type Term = 'matched' | 'returned' | 'charges' | 'ignored' | 'unexplained';

/** What a line adds to a term. A return with a charge adds to two. */
export interface TermPart {
  term: Term;
  cents: bigint;
}

/** The signed amounts of a line, by the terms of the reconciliation. */
export function termsOf({ line, state, outcome, reason, chargesCents }: JudgedLine): TermPart[] {
  const cents = signedCents(line.direction, line.cents);
  if (!isMoney(line) || reason === 'in_other_version') return [];
  if (outcome === 'ignored') return [{ term: 'ignored', cents }];
  if (state !== 'counted') return [{ term: 'unexplained', cents }];
  if (outcome === 'matched') return [{ term: 'matched', cents }];
  if (reason === 'bank_charge') return [{ term: 'charges', cents }];
  if (outcome !== 'returned') return [{ term: 'unexplained', cents }];
  const fee = signedCents(line.direction, chargesCents);
  return [
    { term: 'returned', cents: cents - fee },
    ...(fee === 0n ? [] : [{ term: 'charges' as const, cents: fee }]),
  ];
}

/**
 * Opening + matched + returned + charges + ignored + unexplained = closing. Each term is the sum of
 * listed lines, never a difference.
 *
 * @param days of the period, in order
 * @param parts of all lines of the chosen versions of these days
 * @returns signed cents. `isExact` is null if a balance is unknown
 */
export function reconcile(days: readonly DaySummary[], parts: Iterable<TermPart>) {
  const sums: Record<Term, bigint> = { matched: 0n, returned: 0n, charges: 0n, ignored: 0n, unexplained: 0n };
  for (const { term, cents } of parts) sums[term] += cents;
  const [openingCents, closingCents] = [days[0]?.openingCents ?? null, days.at(-1)?.closingCents ?? null];
  const total = Object.values(sums).reduce((sum, cents) => sum + cents, 0n);
  const isExact =
    openingCents === null || closingCents === null ? null : openingCents + total === closingCents;
  return { openingCents, ...sums, closingCents, isExact };
}
