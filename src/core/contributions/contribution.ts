import type { ParsedTransactionId } from '../../shared/transaction-id';
import type { ContributionStatus } from './contribution-status.field';

/**
 * A user's donation to a project, stored as one row of `transactions`. A company creates it, and
 * its bank completes it after it transfers the money.
 */
export interface Contribution {
  transactionId: string;
  /** The company that created it. */
  companyId: string;
  companyName: string;
  status: ContributionStatus;
  projectId: number;
  amountCents: bigint;
  currency: 'USD';
  createdAt: Date;
  completedAt: Date | null;
  /** Whether the caller's own environment completed it. */
  completedByCaller: boolean;
  /** The reference that the bank sent with the completion. */
  bankReference: string | null;
  /** The day of the bank's transfer, YYYY-MM-DD. */
  valueDate: string | null;
  /** The sum of the returns, without those that were undone. */
  returnedCents: bigint;
  /** When the completion was taken back; null again after another completion. */
  correctedAt: Date | null;
  /** Present only for the company that created it. A bank never sees these. */
  own?: { userHash: string | null; name: string | null; idempotencyKey: string | null };
}

/** What counts of the amount: nothing after a correction. */
export const netCents = ({
  amountCents,
  returnedCents,
  correctedAt,
}: Pick<Contribution, 'amountCents' | 'returnedCents' | 'correctedAt'>): bigint =>
  correctedAt === null ? amountCents - returnedCents : 0n;

/** A request to create a contribution (specification 4.5). */
export interface NewContribution {
  projectId: number;
  amountCents: bigint;
  userHash: string;
  name: string | undefined;
  idempotencyKey: string | undefined;
}

/** The evidence that a bank may send with a completion. */
export interface Evidence {
  amountCents: bigint | undefined;
  bankReference: string | undefined;
  valueDate: string | undefined;
}

/** One completion of a set. */
export interface Completion {
  readonly id: ParsedTransactionId;
  readonly evidence: Evidence;
}

/** `contested`: another environment has already completed it. */
export type CompleteOutcome =
  | 'completed'
  | 'replayed'
  | 'caller_not_live'
  | 'unknown'
  | 'reserved_for_bank'
  | 'contested'
  | 'amount_differs';

/**
 * `undone`: completed before, and the net amount is zero, so that the request changed nothing.
 * `barred`: so, and the caller may not pay it again today.
 */
export type SingleCompleteOutcome = CompleteOutcome | 'undone' | 'barred';

/**
 * Completions for which the database gave no outcome. A retry may succeed. `timed_out`: the
 * completion was rolled back. `unreachable`: nothing was recorded, because the server of its
 * environment does not respond. `uncertain`: that server may have recorded it.
 */
export type CompletionFailure = 'timed_out' | 'unreachable' | 'uncertain';

export type CompletionInSetOutcome = CompleteOutcome | CompletionFailure;

export const isCompletionFailure = (outcome: CompletionInSetOutcome): outcome is CompletionFailure =>
  outcome === 'timed_out' || outcome === 'unreachable' || outcome === 'uncertain';
