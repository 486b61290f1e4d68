import type { Database } from '../../../db/pool/database';
import { allEnvironments, enableWarnings, type IsRead, membersOf, query } from '../../../db/query';
import { eventColumns, type EventRow, eventOf, subjectColumn } from '../../events/feed-event';
import type { RecordedBatch } from './recorded-batch';
import type { ClaimedEndpoint, Delivery, DeliveryBatch, DueRetries, Work } from './delivery';
import { isNotFrozen } from '../endpoints/not-frozen.query';
import { endpointColumns } from '../endpoints/webhook-endpoints.store';

export type CourierStore = ReturnType<typeof createCourierStore>;

const isFree = (row: string): string =>
  `(${row}.leased_until IS NULL OR ${row}.leased_until < statement_timestamp())`;

const reliability = (row: string): string =>
  `CASE WHEN ${row}.failure_count > 0 THEN 'failing' WHEN ${row}.delivered_at IS NULL THEN 'untried' ELSE 'proven' END`;

// Reads all environments. Only the courier uses it, and it serves each endpoint separately.
// The innermost condition names the endpoint, and is no NOT EXISTS. PostgreSQL thus looks up the
// due retries of each endpoint, and neither hashes nor joins all retries.
// $1 maximum number of rows, $2 environments in which to find only proven endpoints
const findWorkText = (isRead: IsRead): string => `
  SELECT ${membersOf('w', 'environmentId', 'endpointId')}, ${reliability('w')} AS reliability
    FROM webhook_endpoints w
    LEFT JOIN feeds f ON f.environment_id = w.environment_id ${isRead('f')}
   WHERE w.disabled_at IS NULL AND w.verified_at IS NOT NULL AND ${isFree('w')} ${isRead('w')} ${isNotFrozen('w')}
     AND (${reliability('w')} = 'proven' OR w.environment_id <> ALL ($2::integer[]))
     AND (
       w.next_probe_at <= statement_timestamp()
       OR w.retries_checked_to IS NOT NULL
       OR (w.next_probe_at IS NULL AND f.last_sequence > w.position)
       OR (w.next_probe_at IS NULL AND EXISTS (
         SELECT 1 FROM webhook_retries r
          WHERE r.environment_id = w.environment_id AND r.endpoint_id = w.endpoint_id
            AND r.next_attempt_at <= statement_timestamp() ${isRead('r')}
            AND EXISTS (
              SELECT 1 FROM webhook_retries b
               WHERE b.environment_id = w.environment_id AND b.endpoint_id = w.endpoint_id
                 AND b.transaction_id = r.transaction_id AND b.sequence < r.sequence ${isRead('b')}
            ) IS FALSE
       ))
     )
   ORDER BY w.failure_count > 0, w.delivered_at NULLS LAST
   LIMIT $1
  `;

const findWork = query('find_webhook_work', findWorkText(allEnvironments), { textOf: findWorkText });

// $1 environment_id, $2 endpoint_id, $3 lease_id
const claimEndpoint = query(
  'claim_webhook_endpoint',
  `SELECT ${endpointColumns('w')}, ${membersOf('w', 'leaseId', 'failureCount', 'probeCount', 'noticeCount')},
         ${membersOf('w', 'settings', 'isProbeDue', 'failingForSeconds', 'hasRetries')}
    FROM claim_webhook_endpoint($1, $2, $3) w`,
  { writes: true },
);

/** A batch covers at most this many sequence numbers, so a filter never scans the whole feed. */
const mostRead = 10_000;

/**
 * Makes the read wait for the synchronous standby, like a read of the feed (decision record 47).
 */
const waitForStandby = `pg_logical_emit_message(true, 'feed', '')`;

// Reads the settings and the events in one snapshot. An old filter thus never hides an event that
// was recorded after the filter changed.
// $1 environment_id, $2 endpoint_id, $3 position, $4 types, $5 maximum number of rows, $6 lease_id,
// $7 settings
const readBatch = query(
  'read_webhook_batch',
  `
  WITH page AS (
    SELECT ${eventColumns},
           EXISTS (
             SELECT 1 FROM webhook_retries r
              WHERE r.environment_id = $1 AND r.endpoint_id = $2 AND r.transaction_id = ${subjectColumn('e')}
           ) AS "isBlocked"
      FROM feed_events e
     WHERE e.environment_id = $1 AND e.sequence > $3 AND e.sequence <= $3 + ${mostRead}
       AND (cardinality($4::text[]) = 0 OR e.type = ANY ($4::text[]))
       -- The events about an endpoint go only to the other endpoints.
       AND (e.transaction_id IS NOT NULL OR e.data ->> 'endpoint_id' IS DISTINCT FROM $2::text)
     ORDER BY e.sequence
     LIMIT $5
  )
  SELECT f.last_sequence, (SELECT jsonb_agg(to_jsonb(page) ORDER BY page.sequence) FROM page) AS events,
         ${waitForStandby} AS written, ${enableWarnings}
    FROM feeds f
    JOIN webhook_endpoints w ON w.environment_id = f.environment_id
   WHERE f.environment_id = $1 AND w.endpoint_id = $2 AND w.lease_id = $6
     AND w.updated_at = $7::timestamptz AND w.disabled_at IS NULL ${isNotFrozen('w')}
  `,
  { writes: true },
);

// Retries that wait for an earlier one of their contribution have the time `infinity`, except those
// that somebody made due. The comparison with the minimum leaves them out.
// `is_missing`: the feed no longer keeps the event, or the endpoint no longer receives its type.
// $1 environment_id, $2 endpoint_id, $3 whether to probe, $4 maximum number of rows
const readDue = query(
  'read_due_webhook_retries',
  `
  SELECT ${membersOf('r', 'attempts', 'outageAttempts')},
         e.event_id IS NULL OR (cardinality(w.types) > 0 AND e.type <> ALL (w.types)) AS "isMissing",
         r.event_id AS "eventId", r.sequence, ${membersOf('e', 'type', 'recordedAt', 'transactionId', 'data')},
         ${waitForStandby} AS written, ${enableWarnings}
    FROM webhook_retries r
    JOIN webhook_endpoints w ON w.environment_id = r.environment_id AND w.endpoint_id = r.endpoint_id
    LEFT JOIN feed_events e ON e.environment_id = r.environment_id AND e.event_id = r.event_id
   WHERE r.environment_id = $1 AND r.endpoint_id = $2
     AND r.next_attempt_at <= CASE WHEN $3::boolean THEN 'infinity' ELSE statement_timestamp() END
     AND r.sequence = (
       SELECT min(b.sequence) FROM webhook_retries b
        WHERE b.environment_id = r.environment_id AND b.endpoint_id = r.endpoint_id
          AND b.transaction_id = r.transaction_id
     )
   ORDER BY r.next_attempt_at, r.sequence
   LIMIT $4
  `,
  { writes: true },
);

const recordBatch = query(
  'settle_webhook_batch',
  `SELECT settle_webhook_batch($1, $2, $3, $4::jsonb) AS continues`,
  { writes: true },
);

const releaseEndpoint = query(
  'release_webhook_endpoint',
  `
  UPDATE webhook_endpoints w SET leased_until = NULL
   WHERE w.environment_id = $1 AND w.endpoint_id = $2 AND w.lease_id = $3
  `,
);

/** A due retry. The columns of its event are null if the feed no longer keeps the event. */
type DueRow = EventRow & Pick<Delivery, 'attempts' | 'outageAttempts'> & { isMissing: boolean };

export function createCourierStore(database: Pick<Database, 'run'>) {
  return {
    /**
     * Endpoints without a lease that have events to deliver.
     *
     * @param provenOnlyOf in these environments, finds only proven endpoints
     */
    findWork: (most: number, provenOnlyOf: readonly number[]) =>
      database.run<Work>(findWork, [most, provenOnlyOf]),

    /**
     * Undefined if the endpoint is disabled, its company frozen, or if another process serves it.
     */
    async claim({ environmentId, endpointId }: Work, leaseId: string) {
      const values = [environmentId, endpointId, leaseId];
      return (await database.run<ClaimedEndpoint>(claimEndpoint, values))[0];
    },

    /**
     * Reads the events after the position. Reads nothing if the settings have changed, the lease
     * was lost or the company is frozen.
     */
    async readBatch(
      { environmentId, endpointId, types, leaseId, settings }: ClaimedEndpoint,
      position: number,
      most: number,
    ): Promise<DeliveryBatch> {
      const [row] = await database.run<{
        last_sequence: string;
        events: (EventRow & Pick<Delivery, 'isBlocked'>)[] | null;
      }>(readBatch, [environmentId, endpointId, position, types, most, leaseId, settings]);
      if (!row) return { deliveries: [], endsAt: position, hasMore: false, isOutdated: true };
      const last = Number(row.last_sequence);
      const deliveries = (row.events ?? []).map((event): Delivery => ({
        kind: 'first',
        event: eventOf(event),
        attempts: 0,
        outageAttempts: 0,
        isBlocked: event.isBlocked,
        hasRetry: false,
      }));
      const isFull = deliveries.length >= most;
      const endsAt = isFull
        ? (deliveries.at(-1)?.event.sequence ?? position)
        : Math.max(position, Math.min(position + mostRead, last));
      return { deliveries, endsAt, hasMore: endsAt < last, isOutdated: false };
    },

    /** Retries whose next attempt is due. For a probe, also retries that are not due yet. */
    async readDue(
      { environmentId, endpointId }: ClaimedEndpoint,
      most: number,
      isProbe: boolean,
    ): Promise<DueRetries> {
      const rows = await database.run<DueRow>(readDue, [environmentId, endpointId, isProbe, most]);
      return {
        deliveries: rows
          .filter((row) => !row.isMissing)
          .map((row) => ({
            kind: 'retry',
            event: eventOf(row),
            attempts: row.attempts,
            outageAttempts: row.outageAttempts,
            isBlocked: false,
            hasRetry: true,
          })),
        missing: rows.filter((row) => row.isMissing).map((row) => row.eventId),
        hasMore: rows.length >= most,
      };
    },

    /**
     * Records the outcome of a batch in one query: all of it or nothing.
     *
     * @returns whether the session may continue; also false if the lease was lost and nothing was
     *   recorded
     */
    async record({ environmentId, endpointId, leaseId }: ClaimedEndpoint, batch: RecordedBatch) {
      const values = [environmentId, endpointId, leaseId, JSON.stringify(batch)];
      const [row] = await database.run<{ continues: boolean | null }>(recordBatch, values);
      return row?.continues ?? false;
    },
    /** Ends a lease early, without any other change. */
    async release({
      environmentId,
      endpointId,
      leaseId,
    }: Pick<ClaimedEndpoint, 'environmentId' | 'endpointId' | 'leaseId'>) {
      await database.run(releaseEndpoint, [environmentId, endpointId, leaseId]);
    },
  };
}
