import type { ContributionStatus } from '../../modules/contributions/contribution-status.field';
import type { Statements } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';
import type { DisputeKind } from './dispute-kinds';

/** A contribution with refused completions of one kind that nobody has resolved. */
export interface Dispute {
  transactionId: string;
  company: string;
  kind: EnvironmentKind;
  status: ContributionStatus;
  /** What was promised, in US dollars with two decimals. */
  amount: string;
  /** Who completed it, and with which evidence; null while it is pending. */
  completedBy: string | null;
  completedAt: Date | null;
  bankReference: string | null;
  /** YYYY-MM-DD. */
  valueDate: string | null;
  /**
   * The amounts, references and value dates that the refused attempts named, each once, in
   * ascending order.
   */
  saidAmounts: string[];
  saidReferences: string[];
  saidValueDates: string[];
  /** Who made the refused attempts, by name; `bank` made the last one. */
  saidBy: string[];
  bank: string;
  /** How often it was refused since the last resolution. */
  refusals: number;
  lastRefusedAt: Date;
  /** The same to the microsecond, as text. */
  lastRefusedAtExactly: string;
}

/** What an operator said about the refused completions of a transaction. */
export interface Resolution {
  resolvedAt: Date;
  /** The database login. */
  operator: string;
  reason: string;
}

export interface DisputesStore {
  /** The oldest first; of one transaction, or all. */
  listOpen(transactionId?: string): Promise<Dispute[]>;
  /** Lets nobody else resolve this transaction until the end of this one. Contributions go on. */
  lock(transactionId: string): Promise<void>;
  /** The oldest first. */
  resolutions(transactionId: string): Promise<Resolution[]>;
}

// $1 a transaction_id or null, $2 the type of the events, $3 the command that resolves.
// What was refused up to the time that a resolution names was seen by whoever resolved it.
const selectOpen = `
  WITH resolved AS (
    SELECT a.target AS transaction_id, max((a.result ->> 'refused_until')::timestamptz) AS until
      FROM operator_actions a
     WHERE a.command = $3 AND ($1::text IS NULL OR a.target = $1)
     GROUP BY a.target
  ),
  refused AS (
    SELECT v.environment_id, v.transaction_id, count(*)::integer AS refusals, max(v.recorded_at) AS last_refused_at,
           array_agg(DISTINCT (v.evidence ->> 'amount_cents')::bigint) AS said_cents,
           array_agg(DISTINCT v.evidence ->> 'bank_reference') AS said_references,
           array_agg(DISTINCT v.evidence ->> 'value_date') AS said_value_dates,
           array_agg(DISTINCT v.actor_environment_id) AS said_by,
           (array_agg(v.actor_environment_id ORDER BY v.recorded_at DESC))[1] AS bank_environment_id
      FROM events v LEFT JOIN resolved r USING (transaction_id)
     WHERE v.type = $2 AND v.recorded_at > COALESCE(r.until, '-infinity')
       AND ($1::text IS NULL OR (v.transaction_id = $1 AND v.environment_id = (
             SELECT e.environment_id FROM environments e WHERE e.transaction_tag = left($1, 4))))
     GROUP BY v.environment_id, v.transaction_id
  )
  SELECT t.transaction_id AS "transactionId", c.name AS company, e.kind, t.status,
         (t.amount_cents / 100.0)::numeric(20, 2)::text AS amount,
         completer.name AS "completedBy", t.completed_at AS "completedAt", t.bank_reference AS "bankReference",
         t.value_date::text AS "valueDate",
         ARRAY(SELECT (said / 100.0)::numeric(20, 2)::text FROM unnest(refused.said_cents) AS said
                WHERE said IS NOT NULL ORDER BY said) AS "saidAmounts",
         array_remove(refused.said_references, NULL) AS "saidReferences",
         array_remove(refused.said_value_dates, NULL) AS "saidValueDates",
         ARRAY(SELECT named.name FROM environments said JOIN companies named USING (company_id)
                WHERE said.environment_id = ANY (refused.said_by) ORDER BY named.name) AS "saidBy",
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

export function createDisputesStore(
  database: Statements,
  { eventType, command }: DisputeKind,
): DisputesStore {
  return {
    listOpen: (transactionId) =>
      database.runUnprepared<Dispute>(selectOpen, [transactionId ?? null, eventType, command]),

    async lock(transactionId) {
      await database.runUnprepared('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `${command} ${transactionId}`,
      ]);
    },

    resolutions: (transactionId) =>
      database.runUnprepared<Resolution>(
        `SELECT a.acted_at AS "resolvedAt", a.database_role AS operator, a.arguments ->> 'reason' AS reason
           FROM operator_actions a WHERE a.command = $2 AND a.target = $1
          ORDER BY a.position`,
        [transactionId, command],
      ),
  };
}
