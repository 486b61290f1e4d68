import type { ContributionStatus } from '../../core/contributions/contribution-status.field';
import type { Queries } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';
import type { DisputeKind } from './dispute-kinds';

/** A contribution with unresolved rejected completions of one kind. */
export interface Dispute {
  transactionId: string;
  company: string;
  kind: EnvironmentKind;
  status: ContributionStatus;
  /** The amount of the contribution, in US dollars with two decimals. */
  amount: string;
  /** The company that completed it. Like the next three fields, it is null while it is pending. */
  completedBy: string | null;
  completedAt: Date | null;
  bankReference: string | null;
  /** YYYY-MM-DD. */
  valueDate: string | null;
  /**
   * The distinct amounts of the rejected completions, ascending. The next two lists are also
   * distinct.
   */
  reportedAmounts: string[];
  reportedReferences: string[];
  reportedValueDates: string[];
  /** Names of the companies that sent the rejected completions. `bank` sent the latest. */
  reportedBy: string[];
  bank: string;
  /** How many completions were rejected since the last resolution. */
  refusals: number;
  lastRefusedAt: Date;
  /** `lastRefusedAt` as text with microseconds. */
  lastRefusedAtExactly: string;
}

/** An operator's explanation of the rejected completions of a transaction. */
export interface Resolution {
  resolvedAt: Date;
  /** The database login. */
  operator: string;
  reason: string;
}

export type DisputesStore = ReturnType<typeof createDisputesStore>;

// $1: a transaction_id or null; $2: the kind of the disputes.
const selectOpen = `
  WITH refused AS (
    SELECT v.environment_id, v.transaction_id, count(*)::integer AS refusals, max(v.recorded_at) AS last_refused_at,
           array_agg(DISTINCT (v.evidence ->> 'amount_cents')::bigint) AS reported_cents,
           array_agg(DISTINCT v.evidence ->> 'bank_reference') AS reported_references,
           array_agg(DISTINCT v.evidence ->> 'value_date') AS reported_value_dates,
           array_agg(DISTINCT v.actor_environment_id) AS reported_by,
           (array_agg(v.actor_environment_id ORDER BY v.recorded_at DESC))[1] AS bank_environment_id
      FROM disputed_events($1) v
     WHERE v.kind = $2
     GROUP BY v.environment_id, v.transaction_id
  )
  SELECT t.transaction_id AS "transactionId", c.name AS company, e.kind, t.status,
         (t.amount_cents / 100.0)::numeric(20, 2)::text AS amount,
         completer.name AS "completedBy", t.completed_at AS "completedAt", t.bank_reference AS "bankReference",
         t.value_date::text AS "valueDate",
         ARRAY(SELECT (cents / 100.0)::numeric(20, 2)::text FROM unnest(refused.reported_cents) AS cents
                WHERE cents IS NOT NULL ORDER BY cents) AS "reportedAmounts",
         array_remove(refused.reported_references, NULL) AS "reportedReferences",
         array_remove(refused.reported_value_dates, NULL) AS "reportedValueDates",
         ARRAY(SELECT named.name FROM environments reporting JOIN companies named USING (company_id)
                WHERE reporting.environment_id = ANY (refused.reported_by) ORDER BY named.name) AS "reportedBy",
         bank.name AS bank,
         refused.refusals, refused.last_refused_at AS "lastRefusedAt",
         to_char(refused.last_refused_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "lastRefusedAtExactly"
    FROM refused
    JOIN transactions t USING (environment_id, transaction_id)
    JOIN environments e ON e.environment_id = t.environment_id
    JOIN companies c ON c.company_id = e.company_id
    JOIN environments acting ON acting.environment_id = refused.bank_environment_id
    JOIN companies bank ON bank.company_id = acting.company_id
    LEFT JOIN environments completing ON completing.environment_id = t.completed_by_environment_id
    LEFT JOIN companies completer ON completer.company_id = completing.company_id
   ORDER BY refused.last_refused_at, t.transaction_id`;

export function createDisputesStore(database: Queries, { name, command }: DisputeKind) {
  return {
    /** All open disputes, or those of one transaction, oldest first. */
    listOpen: (transactionId?: string) =>
      database.runUnprepared<Dispute>(selectOpen, [transactionId ?? null, name]),

    /**
     * Keeps other operators from resolving disputes of this contribution until the database
     * transaction ends. Requests of partners do not wait.
     */
    async lock(transactionId: string) {
      await database.runUnprepared('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `${command} ${transactionId}`,
      ]);
    },

    /** Oldest first. */
    resolutions: (transactionId: string) =>
      database.runUnprepared<Resolution>(
        `SELECT a.acted_at AS "resolvedAt", a.database_role AS operator, a.arguments ->> 'reason' AS reason
           FROM operator_actions a
          WHERE a.command IN ($2, replace($2, 'contributions', 'transactions')) AND a.target = $1
          ORDER BY a.position`,
        [transactionId, command],
      ),
  };
}
