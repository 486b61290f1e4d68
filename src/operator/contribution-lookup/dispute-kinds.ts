/** A kind of completion that needs an operator, because money may have moved. */
export interface DisputeKind {
  readonly name: 'amount_mismatch' | 'contested_completion' | 'repeated_after_return';
  /** The event that records each such completion. */
  readonly eventType: string;
  /** The member that its evidence must have; undefined if all events of the type count. */
  readonly member?: string;
  /** The command that resolves the dispute. Its entry in the audit log is the resolution. */
  readonly command: string;
  readonly title: string;
}

export const amountMismatch: DisputeKind = {
  name: 'amount_mismatch',
  eventType: 'contribution.completion_refused',
  command: 'contributions resolve',
  title: 'amount mismatch',
};

export const contestedCompletion: DisputeKind = {
  name: 'contested_completion',
  eventType: 'contribution.completion_contested',
  command: 'contributions resolve-contested',
  title: 'contested completion',
};

/**
 * A completion was sent again although its money was returned or it was corrected, without a new
 * bank reference. It may be a late retry or a second payment.
 */
export const repeatedAfterReturn: DisputeKind = {
  name: 'repeated_after_return',
  eventType: 'contribution.completion_repeated',
  member: 'net_amount_is_zero',
  command: 'contributions resolve-repeated',
  title: 'completion repeated after a return',
};

export const disputeKinds = {
  mismatches: amountMismatch,
  contested: contestedCompletion,
  repeated: repeatedAfterReturn,
};
