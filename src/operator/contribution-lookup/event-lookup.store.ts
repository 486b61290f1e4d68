import type { Queries } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';
import { readLatest } from './latest-rows';

export interface ListedEvent {
  eventId: string;
  type: string;
  recordedAt: Date;
  company: string;
  kind: EnvironmentKind;
  transactionId: string;
  /** The company whose key pair made the request, or the database login of an operator. */
  actor: string;
  /** Null for an operator. */
  actorApiKey: string | null;
  evidence: Record<string, unknown>;
}

export interface EventFilter {
  company?: string | undefined;
  kind?: EnvironmentKind | undefined;
  types?: readonly string[] | undefined;
  since?: Date | undefined;
  limit: number;
  /** Skips this many rows. */
  skip?: number;
}

const eventColumns = `
  v.event_id AS "eventId", v.type, v.recorded_at AS "recordedAt", c.name AS company, e.kind,
  v.transaction_id AS "transactionId", COALESCE(actor.name, v.actor_login) AS actor, v.actor_api_key AS "actorApiKey",
  CASE WHEN v.type <> 'contribution.corrected' THEN v.evidence ELSE (
    SELECT jsonb_build_object('reason', k.reason) FROM corrections k
     WHERE k.environment_id = v.environment_id AND k.transaction_id = v.transaction_id AND k.completion = v.completion
  ) END AS evidence`;

const actorOfEvent = `
  LEFT JOIN environments acting ON acting.environment_id = v.actor_environment_id
  LEFT JOIN companies actor ON actor.company_id = acting.company_id`;

/** Finds events of all companies. Reads only. */
export function createEventLookupStore(database: Queries) {
  return {
    /** Latest first. Excludes environments that a reset retired. */
    list: ({ company, kind, types, since, limit, skip = 0 }: EventFilter) =>
      readLatest(
        (age) =>
          database.runUnprepared<ListedEvent>(
            `SELECT ${eventColumns}
               FROM environments e
               JOIN companies c USING (company_id)
               JOIN events v ON v.environment_id = e.environment_id
               ${actorOfEvent}
              WHERE e.retired_at IS NULL AND ($1::text IS NULL OR c.name = $1) AND ($2::text IS NULL OR e.kind = $2)
                AND ($3::text[] IS NULL OR v.type = ANY ($3))
                AND ($4::timestamptz IS NULL OR v.recorded_at >= $4)
                AND ($7::interval IS NULL OR v.recorded_at >= statement_timestamp() - $7::interval)
              ORDER BY v.recorded_at DESC, v.event_id DESC LIMIT $5::bigint OFFSET $6::bigint`,
            [company ?? null, kind ?? null, types ?? null, since ?? null, limit, skip, age],
          ),
        limit,
      ),

    /** All events of one transaction, oldest first. */
    history: (transactionId: string) =>
      database.runUnprepared<ListedEvent>(
        `SELECT ${eventColumns}
           FROM environments e JOIN companies c USING (company_id)
           JOIN events v ON v.environment_id = e.environment_id
           ${actorOfEvent}
          WHERE e.transaction_tag = left($1, 4) AND v.transaction_id = $1
          ORDER BY v.recorded_at, v.event_id`,
        [transactionId],
      ),
  };
}
