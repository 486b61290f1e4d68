import { v7 as uuidv7 } from 'uuid';

import type { Statements } from '../../db/operator-transaction';
import type { EnvironmentKind } from '../../shared/scopes';
import type { WebhookEndpointEventData } from '../events/feed-event';
import type { DisabledReason } from './webhook-status.field';

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
  /** Events of the feed after the position of the endpoint, of all types. */
  behind: number;
}

/** The operator's view of the endpoints of all companies. */
export interface OperatorEndpointsStore {
  /** The longest failing first. */
  list(filter: {
    company: string | undefined;
    isFailing: boolean;
    limit: number;
    skip: number;
  }): Promise<ListedEndpoint[]>;
  /** Undefined if there is no such endpoint. False if it is disabled already. */
  disable(endpointId: string): Promise<boolean | undefined>;
}

export function createOperatorEndpointsStore(
  database: Pick<Statements, 'runUnprepared'>,
): OperatorEndpointsStore {
  return {
    list: ({ company, isFailing, limit, skip }) =>
      database.runUnprepared<ListedEndpoint>(
        `SELECT w.endpoint_id AS "endpointId", c.name AS company, e.kind, w.url, w.verified_at AS "verifiedAt",
                w.disabled_at AS "disabledAt", w.disabled_reason AS "disabledReason",
                w.failing_since AS "failingSince", w.next_probe_at AS "nextProbeAt",
                w.delivered_at AS "deliveredAt",
                GREATEST(COALESCE(f.last_sequence, 0) - w.position, 0)::float8 AS behind
           FROM webhook_endpoints w
           JOIN environments e ON e.environment_id = w.environment_id
           JOIN companies c ON c.company_id = e.company_id
           LEFT JOIN feeds f ON f.environment_id = w.environment_id
          WHERE ($1::text IS NULL OR c.name = $1)
            AND (NOT $2::boolean OR (w.next_probe_at IS NOT NULL AND w.disabled_at IS NULL))
          ORDER BY w.failing_since NULLS LAST, w.endpoint_id
          LIMIT $3::bigint OFFSET $4::bigint`,
        [company ?? null, isFailing, limit, skip],
      ),
    async disable(endpointId) {
      const [found] = await database.runUnprepared<{ environment_id: number }>(
        'SELECT w.environment_id FROM webhook_endpoints w WHERE w.endpoint_id = $1',
        [endpointId],
      );
      if (!found) return undefined;
      const [changed] = await database.runUnprepared<{ failing_since: Date | null; disabled_at: Date }>(
        `UPDATE webhook_endpoints w
            SET disabled_at = statement_timestamp(), disabled_reason = 'operator', updated_at = statement_timestamp()
          WHERE w.environment_id = $1 AND w.endpoint_id = $2 AND w.disabled_at IS NULL
         RETURNING w.failing_since, w.disabled_at`,
        [found.environment_id, endpointId],
      );
      if (!changed) return false;
      const data: WebhookEndpointEventData = {
        endpoint_id: endpointId,
        failing_since: changed.failing_since?.toISOString() ?? null,
        disables_at: null,
        disabled_reason: 'operator',
      };
      await database.runUnprepared(
        `SELECT append_environment_event($1, $2, 'webhook_endpoint.disabled', $3, '{}', $4::jsonb) AS done`,
        [found.environment_id, uuidv7(), changed.disabled_at, JSON.stringify(data)],
      );
      return true;
    },
  };
}
