import { v7 as uuidv7 } from 'uuid';

import type { Queries } from '../../../db/operator-transaction';
import { membersOf } from '../../../db/query';
import type { EnvironmentKind } from '../../../shared/scopes';
import type { DisabledReason } from './webhook-status.field';
import { createWebhookAttemptsStore, type WebhookAttempt } from '../attempts/webhook-attempts.store';
import { forgetFailures } from './webhook-endpoints.store';

/** An endpoint, as operators see it. */
export interface ListedEndpoint {
  endpointId: string;
  company: string;
  kind: EnvironmentKind;
  url: string;
  verifiedAt: Date | null;
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
  failingSince: Date | null;
  nextProbeAt: Date | null;
  deliveredAt: Date | null;
  /** The number of events in the feed after the endpoint's position, of all types. */
  behind: number;
  /** The number of events that wait for their own retry or for that of an earlier event. */
  waiting: number;
}

/** The details of one endpoint for an operator. */
export interface ShownEndpoint extends ListedEndpoint {
  types: string[];
  position: number;
  /** The running replay; null if there is none. */
  replay: { replayId: string; position: number; deliveredCount: number; eventCount: number } | null;
  /** The newest attempts, newest first. */
  attempts: WebhookAttempt[];
}

interface EndpointFilter {
  company: string | undefined;
  isFailing: boolean;
  limit: number;
  skip: number;
}

const listed = `
  SELECT c.name AS company, e.kind,
         ${membersOf('w', 'endpointId', 'url', 'verifiedAt', 'disabledAt', 'disabledReason', 'failingSince')},
         ${membersOf('w', 'nextProbeAt', 'deliveredAt')},
         GREATEST(COALESCE(f.last_sequence, 0) - w.position, 0)::float8 AS behind,
         retries.waiting,
         w.types, w.position::float8 AS position
    FROM webhook_endpoints w
    JOIN environments e ON e.environment_id = w.environment_id
    JOIN companies c ON c.company_id = e.company_id
    LEFT JOIN feeds f ON f.environment_id = w.environment_id
    JOIN LATERAL (
      SELECT count(*)::integer AS waiting FROM webhook_retries r
       WHERE r.environment_id = w.environment_id AND r.endpoint_id = w.endpoint_id
    ) retries ON true`;

// $1 environment_id, $2 endpoint_id
const isStopped = `w.environment_id = $1 AND w.endpoint_id = $2
            AND (w.disabled_at IS NOT NULL OR w.next_probe_at IS NOT NULL)`;

/** Longer than successes are stored, so operators see all of them. */
const successDays = 30;
const mostShown = 10;

/** The running replay of an endpoint, and its newest attempts. */
async function deliveriesOf(
  database: Queries,
  environmentId: number,
  of: { endpointId: string; eventId: string | undefined },
): Promise<Pick<ShownEndpoint, 'replay' | 'attempts'>> {
  const [replay] = await database.runUnprepared<NonNullable<ShownEndpoint['replay']>>(
    `SELECT r.replay_id AS "replayId", r.position::float8 AS position, r.delivered_count::float8 AS "deliveredCount",
            r.event_count::float8 AS "eventCount"
       FROM webhook_replays r
      WHERE r.environment_id = $1 AND r.endpoint_id = $2 AND r.ended_at IS NULL`,
    [environmentId, of.endpointId],
  );
  const attempts = await createWebhookAttemptsStore(database, successDays).list(environmentId, {
    ...{ of, outcome: undefined, before: undefined, limit: mostShown },
  });
  return { replay: replay ?? null, attempts };
}

/** The operator's view of the endpoints of all companies. */
export function createOperatorEndpointsStore(database: Queries) {
  /** The environment of an endpoint; undefined if there is no such endpoint. */
  async function environmentOf(endpointId: string): Promise<number | undefined> {
    const [found] = await database.runUnprepared<{ environment_id: number }>(
      'SELECT w.environment_id FROM webhook_endpoints w WHERE w.endpoint_id = $1',
      [endpointId],
    );
    return found?.environment_id;
  }

  return {
    environmentOf,
    /** Sorted by the duration of the failure, longest first. */
    list: ({ company, isFailing, limit, skip }: EndpointFilter) =>
      database.runUnprepared<ListedEndpoint>(
        `${listed}
          WHERE ($1::text IS NULL OR c.name = $1)
            AND (NOT $2::boolean OR (w.next_probe_at IS NOT NULL AND w.disabled_at IS NULL))
          ORDER BY w.failing_since NULLS LAST, w.endpoint_id
          LIMIT $3::bigint OFFSET $4::bigint`,
        [company ?? null, isFailing, limit, skip],
      ),
    /**
     * Undefined if there is no such endpoint.
     *
     * @param eventId shows only the attempts to deliver this event
     */
    async show(endpointId: string, eventId?: string): Promise<ShownEndpoint | undefined> {
      const environmentId = await environmentOf(endpointId);
      const [endpoint] = await database.runUnprepared<ListedEndpoint & { types: string[]; position: number }>(
        `${listed} WHERE w.environment_id = $1 AND w.endpoint_id = $2`,
        [environmentId ?? 0, endpointId],
      );
      if (!endpoint) return undefined;
      const deliveries = await deliveriesOf(database, environmentId ?? 0, { endpointId, eventId });
      return { ...endpoint, ...deliveries };
    },
    /** Undefined if there is no such endpoint. False if it is already disabled. */
    async disable(endpointId: string) {
      const environmentId = await environmentOf(endpointId);
      if (environmentId === undefined) return undefined;
      const [row] = await database.runUnprepared<{ has_changed: boolean }>(
        'SELECT disable_webhook_endpoint($1, $2, $3) AS has_changed',
        [environmentId, endpointId, uuidv7()],
      );
      return row?.has_changed === true;
    },
    /** Undefined if there is no such endpoint. False if it is neither disabled nor failing. */
    async enable(endpointId: string) {
      const environmentId = await environmentOf(endpointId);
      if (environmentId === undefined) return undefined;
      const changed = await database.runUnprepared(
        `UPDATE webhook_endpoints w
            SET disabled_at = NULL, disabled_reason = NULL, ${forgetFailures}, updated_at = statement_timestamp()
          WHERE ${isStopped}
         RETURNING w.endpoint_id`,
        [environmentId, endpointId],
      );
      return changed.length > 0;
    },
  };
}
