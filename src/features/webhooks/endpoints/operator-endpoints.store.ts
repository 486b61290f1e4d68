import { v7 as uuidv7 } from 'uuid';

import type { Queries } from '../../../db/operator-transaction';
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

/** The operator's view of the endpoints of all companies. */
export interface OperatorEndpointsStore {
  /** Sorted by the duration of the failure, longest first. */
  list(filter: {
    company: string | undefined;
    isFailing: boolean;
    limit: number;
    skip: number;
  }): Promise<ListedEndpoint[]>;
  /**
   * Undefined if there is no such endpoint.
   *
   * @param eventId shows only the attempts to deliver this event
   */
  show(endpointId: string, eventId?: string): Promise<ShownEndpoint | undefined>;
  /** Undefined if there is no such endpoint. False if it is already disabled. */
  disable(endpointId: string): Promise<boolean | undefined>;
  /** Undefined if there is no such endpoint. False if it is neither disabled nor failing. */
  enable(endpointId: string): Promise<boolean | undefined>;
  /** The environment of an endpoint; undefined if there is no such endpoint. */
  environmentOf(endpointId: string): Promise<number | undefined>;
}

const listed = `
  SELECT w.endpoint_id AS "endpointId", c.name AS company, e.kind, w.url, w.verified_at AS "verifiedAt",
         w.disabled_at AS "disabledAt", w.disabled_reason AS "disabledReason",
         w.failing_since AS "failingSince", w.next_probe_at AS "nextProbeAt", w.delivered_at AS "deliveredAt",
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

export function createOperatorEndpointsStore(database: Queries): OperatorEndpointsStore {
  async function environmentOf(endpointId: string): Promise<number | undefined> {
    const [found] = await database.runUnprepared<{ environment_id: number }>(
      'SELECT w.environment_id FROM webhook_endpoints w WHERE w.endpoint_id = $1',
      [endpointId],
    );
    return found?.environment_id;
  }

  return {
    environmentOf,
    list: ({ company, isFailing, limit, skip }) =>
      database.runUnprepared<ListedEndpoint>(
        `${listed}
          WHERE ($1::text IS NULL OR c.name = $1)
            AND (NOT $2::boolean OR (w.next_probe_at IS NOT NULL AND w.disabled_at IS NULL))
          ORDER BY w.failing_since NULLS LAST, w.endpoint_id
          LIMIT $3::bigint OFFSET $4::bigint`,
        [company ?? null, isFailing, limit, skip],
      ),
    async show(endpointId, eventId) {
      const environmentId = await environmentOf(endpointId);
      const [endpoint] = await database.runUnprepared<ListedEndpoint & { types: string[]; position: number }>(
        `${listed} WHERE w.environment_id = $1 AND w.endpoint_id = $2`,
        [environmentId ?? 0, endpointId],
      );
      if (!endpoint) return undefined;
      const deliveries = await deliveriesOf(database, environmentId ?? 0, { endpointId, eventId });
      return { ...endpoint, ...deliveries };
    },
    async disable(endpointId) {
      const environmentId = await environmentOf(endpointId);
      if (environmentId === undefined) return undefined;
      const [row] = await database.runUnprepared<{ has_changed: boolean }>(
        'SELECT disable_webhook_endpoint($1, $2, $3) AS has_changed',
        [environmentId, endpointId, uuidv7()],
      );
      return row?.has_changed === true;
    },
    async enable(endpointId) {
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
