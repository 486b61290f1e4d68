import type { DaySummary } from '../rules/days/day-summary';
import type { StatementHead } from '../rules/reading/statement';
import type { LineException } from '../rules/versions/choose-version';
import type { DayVersion, VersionChoice } from '../rules/versions/day-version';

/** A day of an account. */
export interface AccountDay {
  environmentId: number;
  accountId: string;
  /** YYYY-MM-DD */
  day: string;
}

/** A day that this process works on, until another one takes over the claim. */
export interface ClaimedDay extends AccountDay {
  generation: number;
  /** The attempts that have failed in a row. */
  failures: number;
  /** Whether its version must be chosen first. */
  isChanged: boolean;
  /** The buckets whose lines may change lines of other days. */
  spreading: number[];
  /** The buckets of lines to judge. */
  working: number[];
}

/** The version of a day. */
export interface ChosenDay {
  /** The statements that count, in order. */
  statementIds: readonly string[];
  summary: DaySummary;
  format: StatementHead['format'];
  problem: DayVersion['problem'];
  /** The versions of its question. */
  choices: readonly VersionChoice[];
}

/** A line that does not count like the rest of its statement. */
export interface StoredException {
  statementId: string;
  number: number;
  kind: LineException;
}

/** The part of a line that belongs to a contribution. Amounts are in cents, never negative. */
export interface LineAllocation {
  bucket: number;
  entryId: string;
  transactionId: string;
  transactionEnvironmentId: number;
  kind: 'payment' | 'return';
  amountCents: bigint;
  chargesCents: bigint;
  expectedCents: bigint;
  confidence: 'exact' | 'normalized' | 'repaired' | 'settlement' | 'decision';
  state: 'proposed' | 'confirmed';
}

export const allocationRow = (allocation: LineAllocation) => ({
  bucket: allocation.bucket,
  entry_id: allocation.entryId,
  transaction_id: allocation.transactionId,
  transaction_environment_id: allocation.transactionEnvironmentId,
  kind: allocation.kind,
  amount_cents: allocation.amountCents.toString(),
  charges_cents: allocation.chargesCents.toString(),
  expected_cents: allocation.expectedCents.toString(),
  confidence: allocation.confidence,
  state: allocation.state,
});

const asTexts = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** Integers are texts in the database. */
export const jsonOf = (value: unknown): string => JSON.stringify(value, asTexts);

/** The argument of `choose_day_version`. */
export const chosenRow = ({ summary, format, problem, choices }: ChosenDay) => {
  const { version, openingCents, closingCents, changeCents, question, ...rest } = summary;
  return jsonOf({
    ...{ version, format, problem, question, summary: { ...rest, choices } },
    ...{ opening_cents: openingCents, closing_cents: closingCents, change_cents: changeCents },
  });
};
