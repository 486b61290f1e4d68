import { violates } from '../../db/errors';
import type { Database } from '../../db/pool/database';
import { allEnvironments, type IsRead, membersOf, query } from '../../db/query';
import { simulatedBank } from '../../shared/simulated-bank';
import { linkShows } from '../../core/contributions/who-may-see';
import type { SettlementOutcome } from './sandbox-settings.fields';

/** A completion that the simulated bank attempts. */
export interface Settlement {
  transactionId: string;
  attempt: number;
  dueAt: Date;
  amountCents: bigint;
  bankReference: string;
  /** YYYY-MM-DD; null for the day on which it is attempted. */
  valueDate: string | null;
  /** Whether the simulated bank mistypes the id, as a person might. */
  idIsMistyped: boolean;
}

/** The request of `settle`. Missing evidence has the values of an ordinary transfer. */
export interface RequestedSettlement {
  amountCents: bigint | undefined;
  bankReference: string | undefined;
  valueDate: string | undefined;
  times: number;
  afterSeconds: number;
}

/** An environment for which the simulated bank has something to do. */
export interface SandboxEnvironment {
  environmentId: number;
  /** Whether contributions need a plan, or a settlement is due. Otherwise, call `skipPlanned`. */
  hasWork: boolean;
}

export type SettlementsStore = ReturnType<typeof createSettlementsStore>;

const bankId = simulatedBank.environmentId;
const lease = `interval '10 seconds'`;
const mostPlannedAtOnce = 1_000;
/** Attempts with a greater number were requested. */
const mostPlannedAttempts = 2;
const maxAttemptsToInsert = 5;

/**
 * SQL condition: the contribution `t` needs a plan, by the settings `s` and the active link `l`.
 */
const isUnplanned = (
  isRead: IsRead,
): string => `t.status = 'pending' AND t.created_at >= GREATEST(l.linked_at, s.planned_until)
        AND NOT EXISTS (
          SELECT 1 FROM sandbox_settlements x
           WHERE x.environment_id = t.environment_id AND x.transaction_id = t.transaction_id
             AND x.attempt <= ${mostPlannedAttempts} ${isRead('x')}
        )`;

const isActiveLink = `l.environment_id = s.environment_id AND l.bank_environment_id = ${bankId} AND l.unlinked_at IS NULL`;

/** A create commits within seconds. The margin is far longer, so `plan` sees each contribution. */
const canSkip = (row: string): string =>
  `${row}.planned_until < statement_timestamp() - interval '4 minutes'`;

const listEnvironmentsText = (isRead: IsRead): string => `
  SELECT e.environment_id AS "environmentId", e.has_work AS "hasWork"
    FROM (
      SELECT s.environment_id, s.planned_until,
             EXISTS (SELECT 1 FROM bank_links l WHERE ${isActiveLink}) AS is_simulated,
             EXISTS (
               SELECT 1 FROM sandbox_settlements d
                WHERE d.environment_id = s.environment_id AND d.done_at IS NULL AND d.due_at <= statement_timestamp() ${isRead('d')}
             ) OR EXISTS (
               SELECT 1 FROM bank_links l JOIN transactions t ON t.environment_id = l.environment_id
                WHERE ${isActiveLink} AND ${isUnplanned(isRead)} ${isRead('t')}
             ) AS has_work
        FROM sandbox_settings s
       WHERE true ${isRead('s')}
    ) AS e
   WHERE e.has_work OR (e.is_simulated AND ${canSkip('e')})
  `;

const listEnvironments = query('list_sandbox_environments', listEnvironmentsText(allEnvironments), {
  textOf: listEnvironmentsText,
});

/**
 * Amounts with these last two digits are magic. 41: the first attempt has a wrong amount. 42: it is
 * completed twice, with different references. 43: never. 49: the first attempt has a mistyped id.
 * All other contributions are completed once.
 *
 * $1 environment_id
 */
const planSettlements = query(
  'plan_sandbox_settlements',
  `
  INSERT INTO sandbox_settlements
    (environment_id, transaction_id, attempt, due_at, amount_cents, bank_reference, value_date, id_is_mistyped,
     done_at, outcome)
  SELECT fresh.environment_id, fresh.transaction_id, step.attempt,
         fresh.created_at + fresh.settle_after_seconds * step.attempt * interval '1 second',
         fresh.amount_cents + CASE WHEN fresh.magic = 41 AND step.attempt = 1 THEN 1 ELSE 0 END,
         'SIM-' || fresh.transaction_id || CASE WHEN fresh.magic = 42 AND step.attempt = 2 THEN '-2' ELSE '' END,
         NULL,
         fresh.magic = 49 AND step.attempt = 1,
         CASE WHEN fresh.magic = 43 THEN statement_timestamp() END,
         CASE WHEN fresh.magic = 43 THEN 'never' END
    FROM (
      SELECT t.environment_id, t.transaction_id, t.created_at, t.amount_cents, s.settle_after_seconds,
             CASE WHEN s.magic_amounts THEN t.amount_cents % 100 ELSE 0 END AS magic
        FROM sandbox_settings s
        JOIN bank_links l ON ${isActiveLink}
        JOIN transactions t ON t.environment_id = s.environment_id
       WHERE s.environment_id = $1 AND ${isUnplanned(allEnvironments)}
       ORDER BY t.created_at
       LIMIT ${mostPlannedAtOnce}
    ) AS fresh
   CROSS JOIN (VALUES (1), (2)) AS step (attempt)
   WHERE step.attempt = 1 OR fresh.magic IN (41, 42, 49)
  ON CONFLICT ON CONSTRAINT sandbox_settlements_pkey DO NOTHING
  RETURNING attempt
  `,
);

const skipPlanned = query(
  'skip_planned_sandbox_settlements',
  `
  UPDATE sandbox_settings s SET planned_until = statement_timestamp() - interval '2 minutes'
   WHERE s.environment_id = $1 AND ${canSkip('s')}
  `,
);

const settlementColumns = `${membersOf('s', 'transactionId', 'attempt', 'dueAt', 'amountCents', 'bankReference', 'idIsMistyped')},
       s.value_date::text AS "valueDate"`;

// Settlements of one contribution keep their order. Two processes never take the same one: the
// second skips the locked row, and then sees the lease. A reset removes the settings. The SELECT
// around the UPDATE converts the date, because a cluster rejects the conversion in RETURNING.
// $1 environment_id
const takeDue = query(
  'take_sandbox_settlement',
  `
  WITH taken AS (
    UPDATE sandbox_settlements s SET leased_until = statement_timestamp() + ${lease}
     WHERE s.environment_id = $1 AND (s.transaction_id, s.attempt) = (
       SELECT d.transaction_id, d.attempt FROM sandbox_settlements d
        WHERE d.environment_id = $1 AND d.done_at IS NULL AND d.due_at <= statement_timestamp()
          AND (d.leased_until IS NULL OR d.leased_until < statement_timestamp())
          AND NOT EXISTS (
            SELECT 1 FROM sandbox_settlements b
             WHERE b.environment_id = $1 AND b.transaction_id = d.transaction_id AND b.done_at IS NULL
               AND (b.due_at, b.attempt) < (d.due_at, d.attempt)
          )
        ORDER BY d.due_at, d.attempt
        LIMIT 1
          FOR UPDATE SKIP LOCKED
     )
    RETURNING s.transaction_id, s.attempt, s.due_at, s.amount_cents, s.bank_reference, s.value_date, s.id_is_mistyped
  )
  SELECT ${settlementColumns} FROM taken s
  `,
);

/**
 * $1 environment_id, $2 transaction_id, $3 number of settlements, $4 delay in seconds, $5
 * amount_cents or null, $6 bank_reference or null, $7 value_date or null
 */
const requestSettlements = query(
  'request_sandbox_settlements',
  `
  INSERT INTO sandbox_settlements AS s
    (environment_id, transaction_id, attempt, due_at, amount_cents, bank_reference, value_date, id_is_mistyped,
     leased_until)
  SELECT t.environment_id, t.transaction_id, last.attempt + step.number,
         statement_timestamp() + $4::integer * interval '1 second', COALESCE($5::bigint, t.amount_cents),
         COALESCE($6::text, 'SIM-' || t.transaction_id), $7::date, false,
         CASE WHEN $4::integer = 0 THEN statement_timestamp() + ${lease} END
    FROM transactions t
   CROSS JOIN (
     SELECT GREATEST(max(x.attempt), ${mostPlannedAttempts}) AS attempt FROM sandbox_settlements x
      WHERE x.environment_id = $1 AND x.transaction_id = $2
   ) AS last
   CROSS JOIN generate_series(1, $3::integer) AS step (number)
   WHERE t.environment_id = $1 AND t.transaction_id = $2 AND EXISTS (
     SELECT 1 FROM bank_links l
      WHERE l.environment_id = $1 AND l.bank_environment_id = ${bankId}
        AND ${linkShows}
   )
  RETURNING ${settlementColumns}
  `,
);

const finishSettlement = query(
  'finish_sandbox_settlement',
  `
  UPDATE sandbox_settlements s SET done_at = statement_timestamp(), outcome = $4
   WHERE s.environment_id = $1 AND s.transaction_id = $2 AND s.attempt = $3 AND s.done_at IS NULL
  `,
);

type SettlementRow = Omit<Settlement, 'amountCents'> & { amountCents: string };

const toSettlement = (row: SettlementRow): Settlement => ({ ...row, amountCents: BigInt(row.amountCents) });

export function createSettlementsStore(database: Pick<Database, 'run'>) {
  return {
    environments: () => database.run<SandboxEnvironment>(listEnvironments, []),
    /** Plans the settlements of new contributions. Idempotent. */
    async plan(environmentId: number) {
      let planned: number;
      do planned = (await database.run(planSettlements, [environmentId])).length;
      while (planned >= mostPlannedAtOnce);
    },
    /** Lets `plan` skip old contributions from now on. */
    async skipPlanned(environmentId: number) {
      await database.run(skipPlanned, [environmentId]);
    },
    /** Claims the next due settlement for this process, for ten seconds. */
    async takeDue(environmentId: number) {
      const [row] = await database.run<SettlementRow>(takeDue, [environmentId]);
      return row && toSettlement(row);
    },
    /**
     * Adds settlements of a contribution. Claims those without a delay for this process.
     *
     * @returns none if the environment has no such contribution, or the simulated bank may not
     *   complete it
     */
    async request(
      environmentId: number,
      id: string,
      { amountCents, bankReference, valueDate, times, afterSeconds }: RequestedSettlement,
    ) {
      const values = [
        environmentId,
        id,
        times,
        afterSeconds,
        amountCents ?? null,
        bankReference ?? null,
        valueDate ?? null,
      ];
      for (let left = maxAttemptsToInsert; ; left -= 1) {
        try {
          const rows = await database.run<SettlementRow>(requestSettlements, values);
          return rows.map(toSettlement).sort((a, b) => a.attempt - b.attempt);
        } catch (error) {
          // A concurrent call has taken the numbers.
          if (!violates(error, 'sandbox_settlements_pkey') || left <= 1) throw error;
        }
      }
    },
    async finish(environmentId: number, { transactionId, attempt }: Settlement, outcome: SettlementOutcome) {
      await database.run(finishSettlement, [environmentId, transactionId, attempt, outcome]);
    },
  };
}
