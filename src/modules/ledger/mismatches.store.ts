import type { Statements } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';
import { resolutionCommand } from './resolution-command';

/** A contribution of which a bank says that another amount has moved, and that nobody has resolved since. */
export interface AmountMismatch {
  transactionId: string;
  company: string;
  kind: EnvironmentKind;
  status: 'pending' | 'completed';
  /** What was promised, in US dollars with two decimals. */
  amount: string;
  /** What the bank said has moved, each amount once, the smallest first. */
  saidAmounts: string[];
  /** How often it was refused since the last resolution. */
  refusals: number;
  lastRefusedAt: Date;
  /** The same to the microsecond, as text. */
  lastRefusedAtExactly: string;
  /** Who said so last. */
  bank: string;
}

/** What an operator said about the refused completions of a transaction. */
export interface Resolution {
  resolvedAt: Date;
  operator: string;
  reason: string;
}

export interface MismatchesStore {
  /** The oldest first; of one transaction, or all. */
  listOpen(transactionId?: string): Promise<AmountMismatch[]>;
  /** Lets nobody else resolve this transaction until the end of this one. Contributions go on. */
  lock(transactionId: string): Promise<void>;
  /** The oldest first. */
  resolutions(transactionId: string): Promise<Resolution[]>;
}

// What was refused up to the time that a resolution names was seen by whoever resolved it.
const selectOpen = `
  WITH resolved AS (
    SELECT a.target AS transaction_id, max((a.result ->> 'refused_until')::timestamptz) AS until
      FROM operator_actions a
     WHERE a.command = '${resolutionCommand}' AND ($1::text IS NULL OR a.target = $1)
     GROUP BY a.target
  ),
  refused AS (
    SELECT v.environment_id, v.transaction_id, count(*)::integer AS refusals, max(v.recorded_at) AS last_refused_at,
           array_agg(DISTINCT (v.evidence ->> 'amount_cents')::bigint) AS said_cents,
           (array_agg(v.actor_environment_id ORDER BY v.recorded_at DESC))[1] AS bank_environment_id
      FROM events v LEFT JOIN resolved r USING (transaction_id)
     WHERE v.type = 'contribution.completion_refused' AND v.recorded_at > COALESCE(r.until, '-infinity')
       AND ($1::text IS NULL OR (v.transaction_id = $1 AND v.environment_id = (
             SELECT e.environment_id FROM environments e WHERE e.transaction_tag = left($1, 4))))
     GROUP BY v.environment_id, v.transaction_id
  )
  SELECT t.transaction_id AS "transactionId", c.name AS company, e.kind, t.status,
         (t.amount_cents / 100.0)::numeric(20, 2)::text AS amount,
         ARRAY(SELECT (said / 100.0)::numeric(20, 2)::text FROM unnest(refused.said_cents) AS said
                ORDER BY said) AS "saidAmounts",
         refused.refusals, refused.last_refused_at AS "lastRefusedAt",
         to_char(refused.last_refused_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "lastRefusedAtExactly",
         bank.name AS bank
    FROM refused
    JOIN transactions t USING (environment_id, transaction_id)
    JOIN environments e ON e.environment_id = t.environment_id
    JOIN companies c ON c.company_id = e.company_id
    JOIN environments acting ON acting.environment_id = refused.bank_environment_id
    JOIN companies bank ON bank.company_id = acting.company_id
   ORDER BY refused.last_refused_at, t.transaction_id`;

export function createMismatchesStore(database: Statements): MismatchesStore {
  return {
    listOpen: (transactionId) => database.runUnprepared<AmountMismatch>(selectOpen, [transactionId ?? null]),

    async lock(transactionId) {
      await database.runUnprepared('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `${resolutionCommand} ${transactionId}`,
      ]);
    },

    resolutions: (transactionId) =>
      database.runUnprepared<Resolution>(
        `SELECT a.acted_at AS "resolvedAt", a.operator, a.arguments ->> 'reason' AS reason
           FROM operator_actions a WHERE a.command = '${resolutionCommand}' AND a.target = $1
          ORDER BY a.acted_at, a.action_id`,
        [transactionId],
      ),
  };
}
