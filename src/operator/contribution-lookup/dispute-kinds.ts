import type { DisputeName } from '../../shared/dispute-names';

/** A kind of completion that needs an operator, because money may have moved. */
export interface DisputeKind {
  /** The name that the function disputed_events gives it. */
  readonly name: DisputeName;
  /** The command that resolves the dispute. Its entry in the audit log is the resolution. */
  readonly command: string;
  readonly title: string;
}

export const disputeKinds = {
  mismatches: {
    name: 'amount_mismatch',
    command: 'contributions resolve',
    title: 'amount mismatch',
  },
  contested: {
    name: 'contested_completion',
    command: 'contributions resolve-contested',
    title: 'contested completion',
  },
  /**
   * A completion was sent again although its money was returned or it was corrected, without a new
   * bank reference. It may be a late retry or a second payment.
   */
  repeated: {
    name: 'repeated_after_return',
    command: 'contributions resolve-repeated',
    title: 'completion repeated after a return',
  },
} as const satisfies Record<string, DisputeKind>;
