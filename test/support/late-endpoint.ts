import type { Pool } from 'pg';

/**
 * Adds a verified endpoint of the test environment of a company, and an event after its position.
 *
 * @returns the id of the endpoint, and a function that changes when the event was written
 */
export async function addLateEndpoint(
  admin: Pick<Pool, 'query'>,
  company: string,
): Promise<{ endpointId: string; writeEvent: (secondsAgo: number) => Promise<void> }> {
  const { rows } = await admin.query<{ endpoint_id: string; environment_id: number }>(
    `INSERT INTO webhook_endpoints (environment_id, endpoint_id, environment_kind, slot, url, types, created_at, updated_at,
       verified_at, secret_version, key_version, position, failure_count, probe_count, notice_count)
     SELECT e.environment_id, gen_random_uuid(), e.kind, 1, 'https://late.example.org/', '{}', now(), now(), now(), 1, 1, 0, 0, 0, 0
       FROM environments e JOIN companies c ON c.company_id = e.company_id
      WHERE c.name = $1 AND e.kind = 'test'
     RETURNING endpoint_id, environment_id`,
    [company],
  );
  const { endpoint_id: endpointId, environment_id: environmentId } = rows[0]!;
  await admin.query(
    'INSERT INTO feeds (environment_id, first_sequence, last_sequence) VALUES ($1, 1, 1) ON CONFLICT (environment_id) DO UPDATE SET last_sequence = 1',
    [environmentId],
  );
  return {
    endpointId,
    async writeEvent(secondsAgo) {
      await admin.query(
        `INSERT INTO feed_events (environment_id, sequence, event_id, owner_environment_id, type, recorded_at, written_at, audience, data)
         VALUES ($1, 1, gen_random_uuid(), $1, 'bank_link.started', now(), $2, '{}', '{}')
         ON CONFLICT (environment_id, sequence) DO UPDATE SET written_at = $2`,
        [environmentId, new Date(Date.now() - secondsAgo * 1_000)],
      );
    },
  };
}
