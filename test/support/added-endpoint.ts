import type { Pool } from 'pg';

export interface AddedEndpoint {
  environmentId: number;
  endpointId: string;
  /** Changes columns of the endpoint. */
  change: (assignments: string) => Promise<void>;
  /** Writes the next event of the endpoint, or changes when it was written. */
  writeEvent: (secondsAgo: number) => Promise<void>;
}

/** Adds a verified endpoint to an environment of a company. */
export async function addEndpoint(
  admin: Pick<Pool, 'query'>,
  company: string,
  kind: 'production' | 'test' = 'test',
): Promise<AddedEndpoint> {
  const { rows } = await admin.query<{ endpoint_id: string; environment_id: number }>(
    `INSERT INTO webhook_endpoints (environment_id, endpoint_id, environment_kind, slot, url, types, created_at, updated_at,
       verified_at, secret_version, key_version, position, failure_count, probe_count, notice_count)
     SELECT e.environment_id, gen_random_uuid(), e.kind, 1, 'https://late.example.org/', '{}', now(), now(), now(), 1, 1, 0, 0, 0, 0
       FROM environments e JOIN companies c ON c.company_id = e.company_id
      WHERE c.name = $1 AND e.kind = $2
     RETURNING endpoint_id, environment_id`,
    [company, kind],
  );
  const { endpoint_id: endpointId, environment_id: environmentId } = rows[0]!;
  return {
    environmentId,
    endpointId,
    async change(assignments) {
      await admin.query(
        `UPDATE webhook_endpoints SET ${assignments} WHERE environment_id = $1 AND endpoint_id = $2`,
        [environmentId, endpointId],
      );
    },
    async writeEvent(secondsAgo) {
      await admin.query(
        'INSERT INTO feeds (environment_id, first_sequence, last_sequence) VALUES ($1, 1, 1) ON CONFLICT (environment_id) DO UPDATE SET last_sequence = 1',
        [environmentId],
      );
      await admin.query(
        `INSERT INTO feed_events (environment_id, sequence, event_id, owner_environment_id, type, recorded_at, written_at, audience, data)
         VALUES ($1, 1, gen_random_uuid(), $1, 'bank_link.started', now(), $2, '{}', '{}')
         ON CONFLICT (environment_id, sequence) DO UPDATE SET written_at = $2`,
        [environmentId, new Date(Date.now() - secondsAgo * 1_000)],
      );
    },
  };
}

/** As a successful ping does, but the receiver gets no request. */
export const verifyEndpoint = async (admin: Pick<Pool, 'query'>, endpointId: string): Promise<void> => {
  await admin.query('UPDATE webhook_endpoints SET verified_at = now() WHERE endpoint_id = $1', [endpointId]);
};
