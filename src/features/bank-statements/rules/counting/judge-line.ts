import type { EntryOutcome } from '../../statement.fields';
import {
  isReversalOfPart,
  isSureReturn,
  type Known,
  type Match,
  matchEntry,
  type UnknownReason,
  visibleSearch,
} from '../../contributions/match-entry';
import type { StatementLine } from '../reading/statement';
import { type AccountRule, ruleOf } from './account-rules';
import { worthOfPayment, worthOfReturn } from './amounts';
import type { LineDecision } from './decisions';
import type { LineState, ProposalReason } from './line-state';

/** What a line is about, and what it gives to contributions. */
export interface JudgedLine {
  line: StatementLine;
  state: LineState['state'];
  outcome: EntryOutcome;
  reason: UnknownReason | ProposalReason | null;
  /** The decision that counts for it. */
  decision: LineDecision | undefined;
  allocations: (Match & { kind: 'payment' | 'return' })[];
  /** What the bank kept: of a payment, besides the booked amount; of a return, within it. */
  chargesCents: bigint;
}

export interface LineContext {
  /** The direction of payments: `credit` for an account that collects. */
  accountDirection: StatementLine['direction'];
  known: Known;
  state: Exclude<LineState, { state: 'replaced' }>;
  decision: LineDecision | undefined;
  /** The rules of the account. */
  rules: readonly AccountRule[];
}

type Judgement = Pick<JudgedLine, 'outcome' | 'reason' | 'chargesCents'> & { matches: Match[] };

const unmatched = (outcome: EntryOutcome, reason: UnknownReason | null = null): Judgement => ({
  ...{ outcome, reason, matches: [], chargesCents: 0n },
});

/** A link or split works on every booked line. The difference to its amount is a charge. */
function decided(
  line: StatementLine,
  { decision, known, accountDirection }: LineContext,
): Judgement | undefined {
  if (decision?.action === 'ignore') return unmatched('ignored');
  if (decision?.action === 'unlink') return unmatched('unknown', 'unlinked');
  const isBooked = line.problem !== 'unreadable' && line.problem !== 'not_booked';
  if (!isBooked || (decision?.action !== 'link' && decision?.action !== 'split')) return undefined;
  const matches = decision.allocations.flatMap(({ transactionId, cents }): Match[] => {
    const found = known.contributions.get(transactionId);
    return found ? [{ ...found, cents, confidence: 'decision', isConfirmed: true }] : [];
  });
  if (matches.length === 0 || matches.length < decision.allocations.length) {
    const isOfReset = decision.allocations.some(({ transactionId }) => known.reset.ids.has(transactionId));
    return unmatched('unknown', isOfReset ? 'company_reset' : 'not_found');
  }
  const difference = matches.reduce((sum, { cents }) => sum + cents, 0n) - line.cents;
  const chargesCents = line.direction === accountDirection ? difference : -difference;
  return { outcome: 'matched', reason: null, matches, chargesCents };
}

function found(line: StatementLine, { known, accountDirection }: LineContext): Judgement {
  const search = visibleSearch(line.search, known.tags);
  if (line.problem !== null) return unmatched(line.problem);
  if (line.cents === 0n) return unmatched('unknown', 'no_reference');
  // A charge can state the ids of the payment that it is for.
  if (search.nature === 'charge') return unmatched('unknown', 'bank_charge');
  const isPayment = line.direction === accountDirection;
  const worth = isPayment ? worthOfPayment : worthOfReturn;
  const { result, chargesCents } = worth(line, (cents) => matchEntry(cents, search, known));
  if (result.reason !== undefined) return unmatched('unknown', result.reason);
  const isSure = result.matches.every((match) =>
    isPayment ? !isReversalOfPart(match, search, line.returnCode) : isSureReturn(match, search, line, known),
  );
  const matches = result.matches.map((match) => ({ ...match, isConfirmed: match.isConfirmed && isSure }));
  return { outcome: 'matched', reason: null, matches, chargesCents };
}

/** A line that counts and names no contribution is what a rule of the account says. */
function byRule(line: StatementLine, own: Judgement, { state, rules }: LineContext): Judgement {
  const isNameless = own.reason === 'no_reference' || own.reason === 'bank_charge';
  const rule = state.state === 'counted' && isNameless ? ruleOf(line, rules) : undefined;
  if (rule === undefined) return own;
  return rule === 'charge' ? unmatched('unknown', 'bank_charge') : unmatched('ignored');
}

/**
 * Says what a line is about, by its decision or by what it states. A line that does not count
 * proposes.
 */
export function judgeLine(line: StatementLine, context: LineContext): JudgedLine {
  const { state, decision, accountDirection } = context;
  const { outcome, reason, matches, chargesCents } =
    decided(line, context) ?? byRule(line, found(line, context), context);
  const isCounted = state.state === 'counted';
  const kind = line.direction === accountDirection ? 'payment' : 'return';
  const isSure = isCounted && matches.every(({ isConfirmed }) => isConfirmed);
  const matched = !isSure ? 'proposed' : kind === 'payment' ? 'matched' : 'returned';
  return {
    ...{ line, state: state.state, decision, chargesCents },
    outcome: outcome === 'matched' ? matched : outcome,
    reason: state.state === 'proposed' ? state.reason : reason,
    allocations: matches.map((match) => ({ ...match, kind, isConfirmed: match.isConfirmed && isCounted })),
  };
}
