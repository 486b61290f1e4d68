import type { EntryProblem } from '@contribution-service/bank-files';

import type { SourceUse } from './choose-parts';
import type { StoredSearch } from './match-entry';
import type { StatedMoney } from './source-entries';

/** A stored line of a file that was not voided, with the relevant properties of its statement. */
export interface ClassSource extends StatedMoney {
  fileId: string;
  format: string;
  statementNumber: number;
  startsAtMs: number;
  endsAtMs: number;
  isTimeKnown: boolean;
  /** See `Statement`. */
  madeAt: string | null;
  isFinal: boolean;
  isUnbalanced: boolean;
  /** Whether a preferred format states the payments of its days: see `isCovered`. */
  isCovered: boolean;
  /**
   * Whether it lacks the bank's reference, and an overlapping statement has the same line with one.
   */
  isDoubtful: boolean;
  /**
   * The opening balance in cents of a numbered statement of a day. Null for others, and if the
   * closing balance is the same.
   */
  startBalance: string | null;
  accountId: string;
  accountDirection: 'credit' | 'debit';
  occurrence: number;
  hasReference: boolean;
  problem: EntryProblem | null;
  search: StoredSearch;
  /** Whether it counts among the lines that state the same batch entry. */
  use: SourceUse;
}

/** A decision on an entry. The newest decision counts. */
export interface EntryDecision {
  action: 'link' | 'split' | 'unlink' | 'ignore' | 'accept_difference' | 'complete';
  allocations: readonly { transactionId: string; cents: bigint }[];
}

export type EntryOutcome = EntryProblem | 'matched' | 'proposed' | 'returned' | 'unknown' | 'ignored';
