import type { TotalsBasis, TotalsKey } from './totals.field';

/** Whole UTC days: `from` is inclusive, `to` is exclusive. */
export interface TotalsRange {
  readonly from: string;
  readonly to: string;
  readonly basis: TotalsBasis;
}

export interface TotalsRequest extends TotalsRange {
  readonly by: TotalsKey;
}

/** Sums of a group of contributions. */
export interface Sums {
  readonly contributions: number;
  readonly amountCents: bigint;
  readonly completedContributions: number;
  readonly completedCents: bigint;
  readonly returnedCents: bigint;
  /** The amounts of contributions whose completion was corrected. */
  readonly correctedCents: bigint;
}

/** The sums of one group, with the key that its contributions share. */
export interface TotalsRow extends Sums {
  readonly day?: string;
  readonly projectId?: number;
  readonly company?: { readonly companyId: string; readonly name: string };
  readonly status?: 'pending' | 'completed';
}

export interface Totals {
  readonly rows: readonly TotalsRow[];
  readonly total: Sums;
  /**
   * The sums include every earlier change. Undefined until the first count after the installation.
   */
  readonly completeUntil: Date | undefined;
}

const nothing: Sums = {
  contributions: 0,
  amountCents: 0n,
  completedContributions: 0,
  completedCents: 0n,
  returnedCents: 0n,
  correctedCents: 0n,
};

export const totalOf = (rows: readonly Sums[]): Sums =>
  rows.reduce(
    (sum, row) => ({
      contributions: sum.contributions + row.contributions,
      amountCents: sum.amountCents + row.amountCents,
      completedContributions: sum.completedContributions + row.completedContributions,
      completedCents: sum.completedCents + row.completedCents,
      returnedCents: sum.returnedCents + row.returnedCents,
      correctedCents: sum.correctedCents + row.correctedCents,
    }),
    nothing,
  );
