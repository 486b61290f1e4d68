import type { ContributionStatus } from './contribution-status.field';

/** What a user gives to a project: recorded by the company, completed when the money has moved. */
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
  /** What the bank said when it completed the transaction. */
  bankReference: string | null;
  /** The day on which the bank moved the money, YYYY-MM-DD. */
  valueDate: string | null;
  /** Only for the company that created it: a bank never sees these. */
  own?: { userHash: string | null; name: string | null; idempotencyKey: string | null };
}

/** A contribution as a company asks for it (specification 4.5). */
export interface NewContribution {
  projectId: number;
  amountCents: bigint;
  userHash: string;
  name: string | undefined;
  idempotencyKey: string | undefined;
}

/** What a bank may say with a completion. */
export interface Evidence {
  amountCents: bigint | undefined;
  bankReference: string | undefined;
  valueDate: string | undefined;
}
