import type { Database } from '../../../db/pool/database';
import { membersOf, query } from '../../../db/query';
import type { LoggedAttempt, LoggedDeliveries } from './attempt-log';
import type { AttemptKind, AttemptOutcome } from './attempt-kind.field';
import { attemptColumns, listAttemptsText } from './list-attempts.query';
import type { SendFailure } from '../sending/send-failure.field';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint';
import { endpointColumns } from '../endpoints/webhook-endpoints.store';

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

/** Which attempts to list. */
export interface AttemptsFilter {
  of: { endpointId: string; eventId?: string | undefined } | { eventId: string };
  outcome: AttemptOutcome | undefined;
  /** The attempt before which the list starts. */
  before: string | undefined;
  limit: number;
}

export type WebhookAttemptsStore = ReturnType<typeof createWebhookAttemptsStore>;

const columns = 'attempt_id, event_id, kind, attempt, outcome, failure, status, duration_ms, response';

/** A position before which all attempts are. */
const afterAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const listAttempts = query('list_webhook_attempts', listAttemptsText('endpoint'));
const listAttemptsOfEvent = query('list_webhook_attempts_of_event', listAttemptsText('event'));

// $1 environment_id, $2 endpoint_id, $3 to $11 the columns
const logAttempt = query(
  'log_webhook_attempt',
  `
  INSERT INTO webhook_attempts AS a (environment_id, endpoint_id, attempted_at, ${columns})
  SELECT w.environment_id, w.endpoint_id, statement_timestamp() - $10::integer * interval '1 millisecond',
         $3::uuid, $4::uuid, $5::text, $6::smallint, $7::text, $8::text, $9::smallint, $10::integer, $11::text
    FROM webhook_endpoints w
   WHERE w.environment_id = $1 AND w.endpoint_id = $2
  RETURNING ${membersOf('a', 'eventId')}, ${attemptColumns}
  `,
);

// $1 environment_id, $2 endpoint_id, $3 first_attempt_id, $4 and $5 the first and the last sequence
// number, $6 to $9 the attempts
const logDeliveries = query(
  'log_webhook_deliveries',
  `
  INSERT INTO webhook_deliveries
    (environment_id, endpoint_id, first_attempt_id, kind, first_sequence, last_sequence, recorded_at,
     sequence_offsets, statuses, started_ms_ago, durations_ms)
  VALUES ($1, $2, $3, 'replay', $4, $5, statement_timestamp(), $6, $7, $8, $9)
  `,
);

// $1 environment_id, $2 endpoint_id, $3 url
const verifyEndpoint = query(
  'verify_webhook_endpoint',
  `
  UPDATE webhook_endpoints w SET verified_at = LEAST(w.verified_at, statement_timestamp())
   WHERE w.environment_id = $1 AND w.endpoint_id = $2 AND w.url = $3
  RETURNING ${endpointColumns('w')}
  `,
);

/** @param successDays the days for which successes are listed */
export function createWebhookAttemptsStore(database: Pick<Database, 'run'>, successDays: number) {
  return {
    /** The attempts of an endpoint, or those to deliver an event, newest first. */
    async list(environmentId: number, { of, outcome, before = afterAll, limit }: AttemptsFilter) {
      const endpointId = 'endpointId' in of ? of.endpointId : null;
      const values = [
        environmentId,
        endpointId,
        before,
        limit,
        outcome ?? null,
        successDays,
        of.eventId ?? null,
      ];
      const listed = of.eventId === undefined ? listAttempts : listAttemptsOfEvent;
      return database.run<WebhookAttempt>(listed, values);
    },
    /**
     * Logs an attempt that a partner requested.
     *
     * @returns undefined if the endpoint does not exist any more
     */
    async log(environmentId: number, endpointId: string, entry: LoggedAttempt) {
      const { attempt_id: attemptId, event_id: eventId, kind, attempt, outcome, failure, status } = entry;
      const [logged] = await database.run<WebhookAttempt>(logAttempt, [
        ...[environmentId, endpointId, attemptId, eventId, kind, attempt, outcome, failure, status],
        ...[entry.duration_ms, entry.response],
      ]);
      return logged;
    },
    /**
     * Records that a ping to this URL succeeded. Has no effect if the endpoint has another URL now.
     */
    async verify(environmentId: number, endpointId: string, url: string) {
      return (await database.run<WebhookEndpoint>(verifyEndpoint, [environmentId, endpointId, url]))[0];
    },
    /** Records the successes of a replay. */
    async logDelivered(environmentId: number, endpointId: string, delivered: LoggedDeliveries) {
      await database.run(logDeliveries, [
        ...[environmentId, endpointId, delivered.first_attempt_id],
        ...[delivered.first_sequence, delivered.last_sequence, delivered.sequence_offsets],
        ...[delivered.statuses, delivered.started_ms_ago, delivered.durations_ms],
      ]);
    },
  };
}
