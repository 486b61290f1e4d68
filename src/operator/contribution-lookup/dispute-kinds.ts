/** A kind of rejected completion that needs an operator, because money may have moved. */
export interface DisputeKind {
  readonly name: 'amount_mismatch' | 'contested_completion';
  /** The event that records each rejected completion. */
  readonly eventType: string;
  /** The command that resolves the dispute. Its entry in the audit log is the resolution. */
  readonly command: string;
  readonly title: string;
}

export const amountMismatch: DisputeKind = {
  name: 'amount_mismatch',
  eventType: 'contribution.completion_refused',
  command: 'transactions resolve',
  title: 'amount mismatch',
};

export const contestedCompletion: DisputeKind = {
  name: 'contested_completion',
  eventType: 'contribution.completion_contested',
  command: 'transactions resolve-contested',
  title: 'contested completion',
};
