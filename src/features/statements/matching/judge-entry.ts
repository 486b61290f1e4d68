import type { ClassSource, EntryDecision, EntryOutcome } from './class-source';
import {
  type EntrySearch,
  type Known,
  type Match,
  matchEntry,
  returnKey,
  type UnknownReason,
} from './match-entry';

/** What an entry is about. */
export interface Judged {
  outcome: EntryOutcome;
  reason: UnknownReason | null;
  matches: Match[];
}

export const unknown = (reason: UnknownReason): Judged => ({ outcome: 'unknown', reason, matches: [] });

/** Applies the last decision on the allocations. Undefined if there is none. */
function decided(decision: EntryDecision | undefined, cents: bigint, known: Known): Judged | undefined {
  if (decision?.action === 'ignore') return { outcome: 'ignored', reason: null, matches: [] };
  if (decision?.action === 'unlink') return unknown('unlinked');
  if (decision?.action !== 'link' && decision?.action !== 'split') return undefined;
  const matches = decision.allocations.flatMap(({ transactionId, cents: part }): Match[] => {
    const contribution = known.contributions.get(transactionId);
    return contribution ? [{ ...contribution, cents: part, confidence: 'decision', isConfirmed: true }] : [];
  });
  const isWhole = matches.reduce((sum, match) => sum + match.cents, 0n) === cents;
  if (isWhole) return { outcome: 'matched', reason: null, matches };
  const isOfReset = decision.allocations.some(({ transactionId }) => known.reset.ids.has(transactionId));
  return unknown(isOfReset ? 'company_reset' : 'not_found');
}

/** Says what a line is about, by the last decision or by what it states. */
export function judge(
  source: ClassSource,
  search: EntrySearch,
  known: Known,
  decision: EntryDecision | undefined,
): Judged {
  if (source.problem !== null || source.amountCents === null) {
    const isIgnored = decision?.action === 'ignore';
    return { outcome: isIgnored ? 'ignored' : (source.problem ?? 'unreadable'), reason: null, matches: [] };
  }
  // Charges reduce a payment, but not a return.
  const isPayment = source.direction === source.accountDirection;
  const cents = source.amountCents + (isPayment ? source.chargesCents : 0n);
  if (cents === 0n) return unknown('no_reference');
  const judged = decided(decision, cents, known);
  if (judged) return judged;
  // A charge can state the ids of the payment that it is for.
  if (search.nature === 'charge') return unknown('bank_charge');
  const { matches, reason } = matchEntry(cents, search, known);
  return reason === undefined ? { outcome: 'matched', reason: null, matches } : unknown(reason);
}

/**
 * Whether the match is surely a return. A charge can state the ids of the payment too. So a part of
 * the amount is a return only if the bank marks it, it was recorded under the same reference, or a
 * decision says so.
 */
export const isSureReturn = (
  { confidence, transactionId, cents, amountCents }: Match,
  { nature }: EntrySearch,
  { returnCode, reference }: { returnCode: string | null; reference: string | null },
  { returns }: Pick<Known, 'returns'>,
): boolean =>
  confidence === 'decision' ||
  cents === amountCents ||
  nature === 'return' ||
  returnCode !== null ||
  (reference !== null && returns.has(returnKey(transactionId, cents, reference)));

/**
 * Whether a payment takes back a debit of a part of the amount. Such a debit may count only after a
 * decision, so the payment does too.
 */
export const isReversalOfPart = (
  { confidence, cents, amountCents }: Match,
  { nature }: EntrySearch,
  returnCode: string | null,
): boolean =>
  confidence !== 'decision' && cents !== amountCents && (nature === 'return' || returnCode !== null);
