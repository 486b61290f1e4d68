import { base } from '../operations';
import { queryAt } from '../world/server';
import type { Tenant } from '../world/tenant';

const collection = `${base}/webhook-endpoints`;

async function call(url: string, tenant: Tenant, method: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { ...tenant.headers, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Creates an endpoint with the API, as a partner does. Returns its id. */
export async function createEndpoint(serviceUrl: string, tenant: Tenant, url: string): Promise<string> {
  const created = await call(serviceUrl + collection, tenant, 'POST', { url });
  const { endpoint_id: id } = created as { endpoint_id: string };
  await call(`${serviceUrl}${collection}/${id}/ping`, tenant, 'POST', {});
  return id;
}

export const change = (
  serviceUrl: string,
  tenant: Tenant,
  id: string,
  action: 'enable' | 'disable',
): Promise<unknown> => call(`${serviceUrl}${collection}/${id}/${action}`, tenant, 'POST', {});

/** Starts a replay of the last events of the feed. Returns how many it sends. */
export async function replay(
  serviceUrl: string,
  tenant: Tenant,
  id: string,
  count: number,
): Promise<{ eventCount: number; from: number }> {
  const endpoint = `${serviceUrl}${collection}/${id}`;
  const { position } = (await call(endpoint, tenant, 'GET')) as { position: number };
  const from = position - count + 1;
  const started = await call(`${endpoint}/replays`, tenant, 'POST', { from_sequence: from });
  return { eventCount: (started as { event_count: number }).event_count, from };
}

/** Adds verified endpoints that have delivered nothing and begin at the start of their feed. */
export async function addEndpoints(
  adminUrl: string,
  { environmentId }: Tenant,
  urls: readonly string[],
): Promise<void> {
  await queryAt(
    adminUrl,
    `INSERT INTO webhook_endpoints (environment_id, endpoint_id, environment_kind, slot, url, types, created_at,
       updated_at, verified_at, secret_version, key_version, position, failure_count, probe_count, notice_count)
     SELECT $1, gen_random_uuid(), 'production', slot, url, '{}', now(), now(), now(), 1, 1, 0, 0, 0, 0
       FROM unnest($2::text[]) WITH ORDINALITY AS given (url, slot)`,
    [environmentId, urls],
  );
}

export async function removeEndpoints(adminUrl: string): Promise<void> {
  await queryAt(adminUrl, 'DELETE FROM webhook_endpoints');
}
