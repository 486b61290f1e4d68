import type { Database } from '../../db/pool/database';
import { statement } from '../../db/statement';
import type { AttemptKind, AttemptOutcome } from './attempt-kind.field';
import type { Trim } from './hourly-trim';
import type { SendFailure } from './send-failure.field';
import type { LoggedAttempt } from './settled-batch';
import type { WebhookEndpoint } from './webhook-endpoint';
import { endpointColumns, endpointOf, type EndpointRow } from './webhook-endpoints.store';

/** An attempt to deliver an event. */
export interface WebhookAttempt {
  attemptId: string;
  endpointId: string;
  eventId: string;
  kind: AttemptKind;
  /** 1 for the first attempt. */
  attempt: number;
  outcome: AttemptOutcome;
  failure: SendFailure | null;
  /** The status of the response; null without a response. */
  status: number | null;
  attemptedAt: Date;
  durationMs: number;
  /** The start of the response's body, after a failure only. */
  response: string | null;
}

export interface WebhookAttemptsStore {
  /** The newest attempts of the last 30 days, newest first. */
  list(
    environmentId: number,
    endpointId: string,
    limit: number,
    eventId: string | undefined,
  ): Promise<WebhookAttempt[]>;
  /** The newest attempts of the last 30 days to deliver an event to any endpoint, newest first. */
  listOfEvent(environmentId: number, eventId: string, limit: number): Promise<WebhookAttempt[]>;
  /**
   * Logs an attempt that a partner requested.
   *
   * @returns undefined if the endpoint does not exist any more
   */
  log(environmentId: number, endpointId: string, attempt: LoggedAttempt): Promise<WebhookAttempt | undefined>;
  /**
   * Records that a ping to this URL succeeded. Has no effect if the endpoint has another URL now.
   */
  verify(environmentId: number, endpointId: string, url: string): Promise<WebhookEndpoint | undefined>;
  /** Deletes attempts that are older than 30 days. */
  trim: Trim;
}

const keptFor = `interval '30 days'`;
const mostDeletedAtOnce = 5_000;
const mostEnvironmentsAtOnce = 100;

const columns = 'attempt_id, event_id, kind, attempt, outcome, failure, status, duration_ms, response';

// $1 environment_id, $2 endpoint_id, $3 the maximum number of rows, $4 event_id or null
const listAttempts = statement(
  'list_webhook_attempts',
  `
  SELECT a.endpoint_id, ${columns}, a.attempted_at
    FROM webhook_attempts a
   WHERE a.environment_id = $1 AND a.endpoint_id = $2 AND ($4::uuid IS NULL OR a.event_id = $4)
     AND a.attempted_at >= statement_timestamp() - ${keptFor}
   ORDER BY a.attempt_id DESC
   LIMIT $3
  `,
);

// $1 environment_id, $2 event_id, $3 the maximum number of rows
const listAttemptsOfEvent = statement(
  'list_webhook_attempts_of_event',
  `
  SELECT a.endpoint_id, ${columns}, a.attempted_at
    FROM webhook_attempts a
   WHERE a.environment_id = $1 AND a.event_id = $2 AND a.attempted_at >= statement_timestamp() - ${keptFor}
   ORDER BY a.attempt_id DESC
   LIMIT $3
  `,
);

// $1 environment_id, $2 endpoint_id, $3 to $11 the columns
const logAttempt = statement(
  'log_webhook_attempt',
  `
  INSERT INTO webhook_attempts AS a (environment_id, endpoint_id, attempted_at, ${columns})
  SELECT w.environment_id, w.endpoint_id, statement_timestamp() - $10::integer * interval '1 millisecond',
         $3::uuid, $4::uuid, $5::text, $6::smallint, $7::text, $8::text, $9::smallint, $10::integer, $11::text
    FROM webhook_endpoints w
   WHERE w.environment_id = $1 AND w.endpoint_id = $2
  RETURNING a.endpoint_id, ${columns}, a.attempted_at
  `,
);

// $1 environment_id, $2 endpoint_id, $3 url
const verifyEndpoint = statement(
  'verify_webhook_endpoint',
  `
  UPDATE webhook_endpoints w SET verified_at = LEAST(w.verified_at, statement_timestamp())
   WHERE w.environment_id = $1 AND w.endpoint_id = $2 AND w.url = $3
  RETURNING ${endpointColumns('w')}
  `,
);

// Reads all environments. Only the courier uses it, and it trims each environment separately.
const listEnvironments = statement(
  'list_webhook_attempts_to_trim',
  `
  SELECT DISTINCT a.environment_id
    FROM webhook_attempts a
   WHERE a.attempted_at < statement_timestamp() - ${keptFor}
   LIMIT ${mostEnvironmentsAtOnce}
  `,
);

// $1 environment_id
const trimAttempts = statement(
  'trim_webhook_attempts',
  `
  DELETE FROM webhook_attempts a
   WHERE a.environment_id = $1 AND a.attempt_id IN (
     SELECT o.attempt_id FROM webhook_attempts o
      WHERE o.environment_id = $1 AND o.attempted_at < statement_timestamp() - ${keptFor}
      LIMIT ${mostDeletedAtOnce}
   )
  `,
);

interface AttemptRow extends LoggedAttempt {
  endpoint_id: string;
  attempted_at: Date;
}

const attemptOf = (row: AttemptRow): WebhookAttempt => ({
  attemptId: row.attempt_id,
  endpointId: row.endpoint_id,
  eventId: row.event_id,
  kind: row.kind,
  attempt: row.attempt,
  outcome: row.outcome,
  failure: row.failure,
  status: row.status,
  attemptedAt: row.attempted_at,
  durationMs: row.duration_ms,
  response: row.response,
});

export function createWebhookAttemptsStore(database: Pick<Database, 'run'>): WebhookAttemptsStore {
  return {
    async list(environmentId, endpointId, limit, eventId) {
      const values = [environmentId, endpointId, limit, eventId];
      return (await database.run<AttemptRow>(listAttempts, values)).map(attemptOf);
    },
    async listOfEvent(environmentId, eventId, limit) {
      const values = [environmentId, eventId, limit];
      return (await database.run<AttemptRow>(listAttemptsOfEvent, values)).map(attemptOf);
    },
    async log(environmentId, endpointId, entry) {
      const { attempt_id: attemptId, event_id: eventId, kind, attempt, outcome, failure, status } = entry;
      const [row] = await database.run<AttemptRow>(logAttempt, [
        ...[environmentId, endpointId, attemptId, eventId, kind, attempt, outcome, failure, status],
        ...[entry.duration_ms, entry.response],
      ]);
      return row && attemptOf(row);
    },
    async verify(environmentId, endpointId, url) {
      const [row] = await database.run<EndpointRow>(verifyEndpoint, [environmentId, endpointId, url]);
      return row && endpointOf(row);
    },
    async trim(isStopped) {
      const environments = await database.run<{ environment_id: number }>(listEnvironments, []);
      for (const { environment_id: environmentId } of environments)
        if (!isStopped()) await database.run(trimAttempts, [environmentId]);
      return environments.length > 0;
    },
  };
}
