import type { ContributionStatus } from '../../core/contributions/contribution-status.field';
import type { Queries } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';
import { readLatest } from './latest-rows';

/** A contribution as operators see it. It has the user_id, but never the user's hash or name. */
export interface ListedTransaction {
  transactionId: string;
  company: string;
  kind: EnvironmentKind;
  status: ContributionStatus;
  /** US dollars with two decimals. */
  amount: string;
  /** The sum of the returns, minus the undone returns. */
  returnedAmount: string;
  /** What counts: the amount minus the returns; 0.00 while it is pending or corrected. */
  netAmount: string;
  /** When the completion was taken back. */
  correctedAt: Date | null;
  projectId: number;
  /** A bigint as text. */
  userId: string;
  idempotencyKey: string | null;
  createdAt: Date;
  createdByApiKey: string;
  completedAt: Date | null;
  completedBy: string | null;
  completedByApiKey: string | null;
  bankReference: string | null;
  valueDate: string | null;
  /** When a reset retired the test environment that it belongs to. */
  retiredAt: Date | null;
}

export interface TransactionFilter {
  company?: string | undefined;
  kind?: EnvironmentKind | undefined;
  status?: ContributionStatus | undefined;
  /** Inclusive. */
  createdFrom?: Date | undefined;
  /** Exclusive. */
  createdTo?: Date | undefined;
  bankReference?: string | undefined;
  /** A day. */
  valueDate?: string | undefined;
  limit: number;
  /** Skips this many rows. */
  skip?: number;
}

/**
 * Finds contributions of all companies. Reads only. Lists skip environments that a reset retired:
 * partners do not see their contributions any more.
 */
export interface TransactionLookupStore {
  find(transactionId: string): Promise<ListedTransaction | undefined>;
  /** Latest first. */
  list(filter: TransactionFilter): Promise<ListedTransaction[]>;
  /** Contributions that have been pending for longer than this, oldest first. */
  listOverdue(hours: number, limit: number, skip?: number): Promise<ListedTransaction[]>;
}

export const transactionColumns = `
  t.transaction_id AS "transactionId", c.name AS company, e.kind, t.status,
  (t.amount_cents / 100.0)::numeric(20, 2)::text AS amount,
  (t.returned_cents / 100.0)::numeric(20, 2)::text AS "returnedAmount", t.corrected_at AS "correctedAt",
  (CASE WHEN t.status = 'completed' AND t.corrected_at IS NULL THEN t.amount_cents - t.returned_cents ELSE 0 END
   / 100.0)::numeric(20, 2)::text AS "netAmount", t.project_id AS "projectId", t.user_id AS "userId",
  t.idempotency_key AS "idempotencyKey", t.created_at AS "createdAt", t.created_by_api_key AS "createdByApiKey",
  t.completed_at AS "completedAt", completer.name AS "completedBy", t.completed_by_api_key AS "completedByApiKey",
  t.bank_reference AS "bankReference", t.value_date::text AS "valueDate", e.retired_at AS "retiredAt"`;

export const ownersOfTransaction = `
  JOIN environments e ON e.environment_id = t.environment_id
  JOIN companies c ON c.company_id = e.company_id
  LEFT JOIN environments completing ON completing.environment_id = t.completed_by_environment_id
  LEFT JOIN companies completer ON completer.company_id = completing.company_id`;

export function createTransactionLookupStore(database: Queries): TransactionLookupStore {
  return {
    async find(transactionId) {
      const [row] = await database.runUnprepared<ListedTransaction>(
        `SELECT ${transactionColumns} FROM transactions t ${ownersOfTransaction}
          WHERE e.transaction_tag = left($1, 4) AND t.transaction_id = $1`,
        [transactionId],
      );
      return row;
    },

    list: ({ company, kind, status, createdFrom, createdTo, bankReference, valueDate, limit, skip = 0 }) =>
      readLatest(
        (age) =>
          database.runUnprepared<ListedTransaction>(
            `SELECT ${transactionColumns}
               FROM transactions t ${ownersOfTransaction}
              WHERE e.retired_at IS NULL AND ($1::text IS NULL OR c.name = $1) AND ($2::text IS NULL OR e.kind = $2)
                AND ($3::text IS NULL OR t.status = $3)
                AND ($4::timestamptz IS NULL OR t.created_at >= $4)
                AND ($5::timestamptz IS NULL OR t.created_at < $5)
                AND ($6::text IS NULL OR t.bank_reference = $6)
                AND ($10::date IS NULL OR t.value_date = $10)
                AND ($9::interval IS NULL OR t.created_at >= statement_timestamp() - $9::interval)
              ORDER BY t.created_at DESC, t.transaction_id DESC LIMIT $7::bigint OFFSET $8::bigint`,
            [
              company ?? null,
              kind ?? null,
              status ?? null,
              createdFrom ?? null,
              createdTo ?? null,
              bankReference ?? null,
              limit,
              skip,
              age,
              valueDate ?? null,
            ],
          ),
        limit,
      ),

    listOverdue: (hours, limit, skip = 0) =>
      database.runUnprepared<ListedTransaction>(
        `SELECT ${transactionColumns} FROM transactions t ${ownersOfTransaction}
          WHERE t.status = 'pending' AND e.retired_at IS NULL AND t.created_at < clock_timestamp() - $1::integer * interval '1 hour'
          ORDER BY t.created_at, t.transaction_id LIMIT $2 OFFSET $3`,
        [hours, limit, skip],
      ),
  };
}
