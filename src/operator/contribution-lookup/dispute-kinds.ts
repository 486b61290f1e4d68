/** Why a completion was refused so that an operator must look, because money has moved. */
export interface DisputeKind {
  readonly name: 'amount_mismatch' | 'contested_completion';
  /** The event that each refused attempt leaves. */
  readonly eventType: string;
  /** The command whose record says that somebody has looked. */
  readonly command: string;
  /** What did not happen when a transaction has no dispute: "No completion of … ". */
  readonly what: string;
}

export const amountMismatch: DisputeKind = {
  name: 'amount_mismatch',
  eventType: 'contribution.completion_refused',
  command: 'transactions resolve',
  what: 'was refused because of its amount',
};

export const contestedCompletion: DisputeKind = {
  name: 'contested_completion',
  eventType: 'contribution.completion_contested',
  command: 'transactions resolve-contested',
  what: 'was contested',
};
