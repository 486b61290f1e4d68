import type { ContributionStatus } from '../../modules/contributions/contribution-status.field';
import type { Statements } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';

/**
 * A contribution as an operator sees it: with the number of its user, and neither their hash nor
 * their name.
 */
export interface LedgerTransaction {
  transactionId: string;
  company: string;
  kind: EnvironmentKind;
  status: ContributionStatus;
  /** US dollars with two decimals. */
  amount: string;
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
}

export interface LedgerEvent {
  eventId: string;
  type: string;
  recordedAt: Date;
  company: string;
  kind: EnvironmentKind;
  transactionId: string;
  /** Whose key pair did it. */
  actor: string;
  actorApiKey: string;
  evidence: Record<string, unknown>;
}

export interface LedgerFilter {
  company?: string | undefined;
  kind?: EnvironmentKind | undefined;
  status?: ContributionStatus | undefined;
  /** From inclusive, to exclusive. */
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
  bankReference?: string | undefined;
  limit: number;
  /** Rows to leave out first. */
  skip?: number;
}

export interface EventFilter {
  company?: string | undefined;
  kind?: EnvironmentKind | undefined;
  types?: readonly string[] | undefined;
  since?: Date | undefined;
  limit: number;
  /** Rows to leave out first. */
  skip?: number;
}

/** What operators look at when they ask about money. Reads only. */
export interface LedgerStore {
  find(transactionId: string): Promise<LedgerTransaction | undefined>;
  /** The latest first. */
  list(filter: LedgerFilter): Promise<LedgerTransaction[]>;
  /** What is pending for longer than so many hours, the oldest first. */
  overdue(hours: number, limit: number, skip?: number): Promise<LedgerTransaction[]>;
  /** The oldest first. */
  history(transactionId: string): Promise<LedgerEvent[]>;
  /** The latest first. */
  listEvents(filter: EventFilter): Promise<LedgerEvent[]>;
}

const transactionColumns = `
  t.transaction_id AS "transactionId", c.name AS company, e.kind, t.status,
  (t.amount_cents / 100.0)::numeric(20, 2)::text AS amount, t.project_id AS "projectId", t.user_id AS "userId",
  t.idempotency_key AS "idempotencyKey", t.created_at AS "createdAt", t.created_by_api_key AS "createdByApiKey",
  t.completed_at AS "completedAt", completer.name AS "completedBy", t.completed_by_api_key AS "completedByApiKey",
  t.bank_reference AS "bankReference", t.value_date::text AS "valueDate"`;

const ownersOfTransaction = `
  JOIN environments e ON e.environment_id = t.environment_id
  JOIN companies c ON c.company_id = e.company_id
  LEFT JOIN environments completing ON completing.environment_id = t.completed_by_environment_id
  LEFT JOIN companies completer ON completer.company_id = completing.company_id`;

const eventColumns = `
  v.event_id AS "eventId", v.type, v.recorded_at AS "recordedAt", c.name AS company, e.kind,
  v.transaction_id AS "transactionId", actor.name AS actor, v.actor_api_key AS "actorApiKey", v.evidence`;

const actorOfEvent = `
  JOIN environments acting ON acting.environment_id = v.actor_environment_id
  JOIN companies actor ON actor.company_id = acting.company_id`;

export function createLedgerStore(database: Statements): LedgerStore {
  return {
    async find(transactionId) {
      const [row] = await database.runUnprepared<LedgerTransaction>(
        `SELECT ${transactionColumns} FROM transactions t ${ownersOfTransaction}
          WHERE e.transaction_tag = left($1, 4) AND t.transaction_id = $1`,
        [transactionId],
      );
      return row;
    },

    // For each environment its latest, by its own index, and of these the latest of all.
    list: ({ company, kind, status, createdFrom, createdTo, bankReference, limit, skip = 0 }) =>
      database.runUnprepared<LedgerTransaction>(
        `SELECT ${transactionColumns}
           FROM environments own
           JOIN companies named ON named.company_id = own.company_id
          CROSS JOIN LATERAL (
            SELECT * FROM transactions one
             WHERE one.environment_id = own.environment_id
               AND ($3::text IS NULL OR one.status = $3)
               AND ($4::timestamptz IS NULL OR one.created_at >= $4)
               AND ($5::timestamptz IS NULL OR one.created_at < $5)
               AND ($6::text IS NULL OR one.bank_reference = $6)
             ORDER BY one.created_at DESC, one.transaction_id DESC LIMIT $7::bigint + $8::bigint
          ) AS t
          ${ownersOfTransaction}
          WHERE ($1::text IS NULL OR named.name = $1) AND ($2::text IS NULL OR own.kind = $2)
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
        ],
      ),

    overdue: (hours, limit, skip = 0) =>
      database.runUnprepared<LedgerTransaction>(
        `SELECT ${transactionColumns} FROM transactions t ${ownersOfTransaction}
          WHERE t.status = 'pending' AND t.created_at < clock_timestamp() - $1::integer * interval '1 hour'
          ORDER BY t.created_at, t.transaction_id LIMIT $2 OFFSET $3`,
        [hours, limit, skip],
      ),

    history: (transactionId) =>
      database.runUnprepared<LedgerEvent>(
        `SELECT ${eventColumns}
           FROM environments e JOIN companies c USING (company_id)
           JOIN events v ON v.environment_id = e.environment_id
           ${actorOfEvent}
          WHERE e.transaction_tag = left($1, 4) AND v.transaction_id = $1
          ORDER BY v.recorded_at, v.event_id`,
        [transactionId],
      ),

    listEvents: ({ company, kind, types, since, limit, skip = 0 }) =>
      database.runUnprepared<LedgerEvent>(
        `SELECT ${eventColumns}
           FROM environments e JOIN companies c USING (company_id)
          CROSS JOIN LATERAL (
            SELECT * FROM events one
             WHERE one.environment_id = e.environment_id
               AND ($3::text[] IS NULL OR one.type = ANY ($3))
               AND ($4::timestamptz IS NULL OR one.recorded_at >= $4)
             ORDER BY one.recorded_at DESC, one.event_id DESC LIMIT $5::bigint + $6::bigint
          ) AS v
          ${actorOfEvent}
          WHERE ($1::text IS NULL OR c.name = $1) AND ($2::text IS NULL OR e.kind = $2)
          ORDER BY v.recorded_at DESC, v.event_id DESC LIMIT $5::bigint OFFSET $6::bigint`,
        [company ?? null, kind ?? null, types ?? null, since ?? null, limit, skip],
      ),
  };
}
