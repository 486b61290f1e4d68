import type { Database } from '../../../db/pool/database';
import { membersOf, query } from '../../../db/query';
import type { EventType } from '../../events/event-type.field';
import { mostEndpoints, type WebhookEndpoint } from './webhook-endpoint';
import type { DisabledReason } from './webhook-status.field';

export interface NewEndpoint {
  endpointId: string;
  url: string;
  types: readonly EventType[];
  description: string | undefined;
  keyVersion: number;
}

/** The settings to change. Undefined keeps a setting. */
export interface EndpointChange {
  url: string | undefined;
  types: readonly EventType[] | undefined;
  /** Null removes it. */
  description: string | null | undefined;
}

export type WebhookEndpointsStore = ReturnType<typeof createWebhookEndpointsStore>;

export const endpointColumns = (row: string): string =>
  `${membersOf(
    row,
    ...['environmentId', 'environmentKind', 'endpointId', 'url', 'types', 'description', 'createdAt'],
    ...['updatedAt', 'verifiedAt', 'disabledAt', 'disabledReason', 'secretVersion', 'keyVersion'],
    ...['previousKeyVersion', 'previousSecretUntil', 'deliveredAt', 'failingSince', 'nextProbeAt'],
  )}, ${row}.position::float8 AS position`;

const columns = endpointColumns('w');
const isIt = 'w.environment_id = $1 AND w.endpoint_id = $2';
/** Makes the next sessions check all retries: see the function `check_webhook_retries`. */
const beforeAllRetries = `'00000000-0000-0000-0000-000000000000'`;
const noFailures = {
  failure_count: '0',
  failing_since: 'NULL',
  next_probe_at: 'NULL',
  probe_count: '0',
  // The next success is still reported, and a new outage again after an hour: see `noticeCount`.
  notice_count: 'CASE WHEN w.notice_count = 0 THEN 0 ELSE -1 END',
  frees_retries: 'true',
};
/**
 * The assignments that make an endpoint as if it had never failed. The next session makes its
 * failed retries due.
 */
export const forgetFailures = Object.entries({ ...noFailures, retries_checked_to: beforeAllRetries })
  .map(([column, value]) => `${column} = ${value}`)
  .join(', ');

const listEndpoints = query(
  'list_webhook_endpoints',
  `SELECT ${columns} FROM webhook_endpoints w WHERE w.environment_id = $1 ORDER BY w.created_at, w.endpoint_id`,
);

const readEndpoint = query(
  'read_webhook_endpoint',
  `SELECT ${columns} FROM webhook_endpoints w WHERE ${isIt}`,
);

const readSlots = query(
  'read_webhook_slots',
  'SELECT w.slot FROM webhook_endpoints w WHERE w.environment_id = $1',
);

// $1 environment_id, $2 endpoint_id, $3 slot, $4 url, $5 types, $6 description, $7 key_version
const addEndpoint = query(
  'add_webhook_endpoint',
  `SELECT ${columns} FROM add_webhook_endpoint($1, $2, $3, $4, $5, $6, $7) w`,
  { writes: true },
);

// $1 environment_id
const readRetirement = query(
  'read_retirement_of_environment',
  'SELECT FROM environments e WHERE e.environment_id = $1 AND e.retired_at IS NOT NULL',
);

const isMoved = 'w.url <> $3::text';
const unlessMoved = (column: string, otherwise: string): string =>
  `${column} = CASE WHEN ${isMoved} THEN ${otherwise} ELSE w.${column} END`;

// Failures at the old URL do not count. Another URL needs another ping.
// $3 url and $4 types, or null to keep them, $5 whether to change the description, $6 description
const changeEndpoint = query(
  'change_webhook_endpoint',
  `
  UPDATE webhook_endpoints w
     SET url = COALESCE($3::text, w.url), types = COALESCE($4::text[], w.types),
         description = CASE WHEN $5::boolean THEN $6::text ELSE w.description END,
         verified_at = CASE WHEN ${isMoved} THEN NULL ELSE w.verified_at END,
         ${Object.entries(noFailures)
           .map(([column, value]) => unlessMoved(column, value))
           .join(', ')},
         retries_checked_to = CASE WHEN ${isMoved} OR cardinality($4::text[]) > 0 THEN ${beforeAllRetries}
                                   ELSE w.retries_checked_to END,
         updated_at = statement_timestamp()
   WHERE ${isIt}
  RETURNING ${columns}
  `,
);

// A partner who lost the response repeats the request, and must get the same secret.
const recentRotation = `statement_timestamp() - interval '10 minutes'`;

// Without an overlap, no previous secret is left. NULLIF: a cluster rejects CASE with a time.
const overlapEnd = (hours: string): string =>
  `statement_timestamp() + NULLIF(${hours}::integer, 0) * interval '1 hour'`;

// $3 key_version, $4 overlap in hours
const rotateSecret = query(
  'rotate_webhook_secret',
  `
  UPDATE webhook_endpoints w
     SET previous_key_version = CASE WHEN $4::integer > 0 THEN w.key_version END,
         key_version = $3, secret_version = w.secret_version + 1, previous_secret_until = ${overlapEnd('$4')},
         secret_rotated_at = statement_timestamp(), updated_at = statement_timestamp()
   WHERE ${isIt} AND (w.secret_rotated_at IS NULL OR w.secret_rotated_at < ${recentRotation})
  RETURNING ${columns}
  `,
);

// A previous secret that has ended stays ended.
// $3 overlap in hours
const repeatRotation = query(
  'repeat_webhook_rotation',
  `
  UPDATE webhook_endpoints w
     SET previous_key_version = CASE WHEN $3::integer > 0 THEN w.previous_key_version END,
         previous_secret_until = ${overlapEnd('$3')}, updated_at = statement_timestamp()
   WHERE ${isIt} AND w.previous_secret_until > statement_timestamp()
  RETURNING ${columns}
  `,
);

const enableEndpoint = query(
  'enable_webhook_endpoint',
  `
  UPDATE webhook_endpoints w
     SET disabled_at = NULL, disabled_reason = NULL, ${forgetFailures}, updated_at = statement_timestamp()
   WHERE ${isIt}
  RETURNING ${columns}
  `,
);

// Keeps the first time and reason. Uses LEAST, because a cluster rejects COALESCE with a time.
// $3 disabled_reason
const disableEndpoint = query(
  'disable_webhook_endpoint',
  `
  UPDATE webhook_endpoints w
     SET disabled_at = LEAST(w.disabled_at, statement_timestamp()),
         disabled_reason = COALESCE(w.disabled_reason, $3), updated_at = statement_timestamp()
   WHERE ${isIt}
  RETURNING ${columns}
  `,
);

const deleteEndpoint = query(
  'delete_webhook_endpoint',
  `DELETE FROM webhook_endpoints w WHERE ${isIt} RETURNING w.endpoint_id`,
);

export function createWebhookEndpointsStore(database: Pick<Database, 'run'>) {
  async function one(...parameters: Parameters<typeof database.run>): Promise<WebhookEndpoint | undefined> {
    return (await database.run<WebhookEndpoint>(...parameters))[0];
  }

  return {
    /** Whether a reset retired the environment, and moved its endpoints to a new one. */
    isRetired: async (environmentId: number) =>
      (await database.run(readRetirement, [environmentId])).length > 0,
    /** The endpoints of an environment, oldest first. */
    list: (environmentId: number) => database.run<WebhookEndpoint>(listEndpoints, [environmentId]),
    get: (environmentId: number, endpointId: string) => one(readEndpoint, [environmentId, endpointId]),
    /** The lowest free slot; undefined if the environment has the maximum number of endpoints. */
    async freeSlot(environmentId: number) {
      const rows = await database.run<{ slot: number }>(readSlots, [environmentId]);
      const taken = new Set(rows.map(({ slot }) => slot));
      return Array.from({ length: mostEndpoints }, (_, index) => index + 1).find((slot) => !taken.has(slot));
    },
    /**
     * Adds an endpoint. It gets the events that are recorded after its creation.
     *
     * @returns undefined if the environment was retired
     * @throws ConstraintViolation if the slot or the URL is taken
     */
    add: (
      environmentId: number,
      slot: number,
      { endpointId, url, types, description, keyVersion }: NewEndpoint,
    ) => one(addEndpoint, [environmentId, endpointId, slot, url, types, description, keyVersion]),
    /**
     * Changes settings. Another URL also ends an outage.
     *
     * @throws ConstraintViolation if the URL is taken
     */
    change: (environmentId: number, endpointId: string, { url, types, description }: EndpointChange) =>
      one(changeEndpoint, [environmentId, endpointId, url, types, description !== undefined, description]),
    /**
     * Starts the next secret. The current one also signs for `overlapHours`. A repeat within ten
     * minutes changes only an overlap that has not ended.
     */
    rotate: async (environmentId: number, endpointId: string, keyVersion: number, overlapHours: number) =>
      (await one(rotateSecret, [environmentId, endpointId, keyVersion, overlapHours])) ??
      (await one(repeatRotation, [environmentId, endpointId, overlapHours])) ??
      one(readEndpoint, [environmentId, endpointId]),
    /** Enables an endpoint and forgets its failures. Delivery continues after its position. */
    enable: (environmentId: number, endpointId: string) => one(enableEndpoint, [environmentId, endpointId]),
    disable: (environmentId: number, endpointId: string, reason: DisabledReason) =>
      one(disableEndpoint, [environmentId, endpointId, reason]),
    async delete(environmentId: number, endpointId: string) {
      return (await database.run(deleteEndpoint, [environmentId, endpointId])).length > 0;
    },
  };
}
