import type { GivenDecision } from './given-decisions';
import type { AccountDay } from '../days/account-day';
import type { LineAllocation } from '../days/account-day';
import type { LineOutcome } from '../days/line-outcomes';
import type { StatementLine } from '../rules/reading/statement';

/** `undo` takes back all decisions about the line. */
export type DecisionAction = GivenDecision['action'] | 'undo';

/** What a person decides about a line. */
export interface LineDecisionGiven extends Omit<GivenDecision, 'action'> {
  action: DecisionAction;
  /**
   * The number of the newest decision that the person has seen, 0 for none. If another one has come
   * since, nothing is decided.
   */
  seen?: number | undefined;
}

/** What became of a decision. Only `decided` and `same` count. */
export type DecisionOutcome =
  | 'decided'
  /** It is the newest decision already. */
  | 'same'
  | 'no_line'
  | 'month_closed'
  /** A newer decision replaced it, or there is one that the person has not seen. */
  | 'superseded'
  | 'nothing_to_undo'
  /** Only `ignore` and `unlink` apply to a line that is unreadable or not booked. */
  | 'not_booked'
  /** The amounts of a payment are at least the amount of the line: the difference is a charge. */
  | 'amount_too_low'
  /**
   * The amounts of a return are at most the amount of the line. Those of a payment are at most its
   * amount with the charges that the bank states, or what their contributions expect.
   */
  | 'amount_too_high'
  /** The line pays or returns no contribution for sure. */
  | 'pays_nothing'
  /** The lines of the day are being compared, so nothing is completed. Send it again. */
  | 'pending'
  | 'contribution_not_found';

/** What became of `complete`. */
export type CompletionOutcome =
  | DecisionOutcome
  | 'too_many_completions'
  /** The contributions are completed, but a newer decision counts, or the statements changed. */
  | 'superseded_meanwhile';

type Judged = NonNullable<LineOutcome['judged']>;

/** A line as a person sees it, with its newest decision. */
export interface DecidableLine
  extends
    AccountDay,
    Pick<StatementLine, 'direction' | 'cents' | 'reference' | 'digest'>,
    Pick<Judged, 'entryId' | 'state' | 'outcome' | 'reason' | 'chargesCents'> {
  /** The day that the bank states. */
  bookedOn: string;
  isDecided: boolean;
  /** The number of the newest decision, also of one that moved to the line. 0 if there is none. */
  newestDecision: number;
  /** Whether the line may still change, because its day is being compared. */
  isPending: boolean;
  /** Whether statements or answers of its day have changed since. */
  isChanged: boolean;
  allocations: Pick<
    LineAllocation,
    'transactionId' | 'kind' | 'amountCents' | 'chargesCents' | 'confidence' | 'state'
  >[];
}
