import { setTimeout as delay } from 'node:timers/promises';

import type { Call, HttpClient, KeyPair } from '../faults/clients/http';
import type { Tenants } from '../faults/clients/environments';

const collection = 'webhook-endpoints';

/** An endpoint as its partner sees it. */
export interface Endpoint {
  environmentId: number;
  pair: KeyPair;
  endpointId: string;
  /** Events up to this number are older than the endpoint. */
  startsAfter: number;
  secret: string;
}

/** A busy machine can delay the database beyond its timeouts. */
const retriesWithinMs = 60_000;
const retryMs = 1_000;

/** The partner's requests about its endpoints. It retries, as errors advise. */
export function createEndpointClient(http: HttpClient) {
  async function call(call: Call): Promise<Record<string, unknown>> {
    for (const deadline = Date.now() + retriesWithinMs; ;) {
      const { response } = await http.send(call);
      if (response && response.status < 300) return response.body;
      if ((response && response.status !== 503) || Date.now() > deadline)
        throw new Error(`${call.method} ${call.path}: ${response?.status} ${JSON.stringify(response?.body)}`);
      await delay(retryMs);
    }
  }
  const get = ({ pair, endpointId }: Endpoint) =>
    call({ method: 'GET', path: `${collection}/${endpointId}`, pair });
  const post = ({ pair, endpointId }: Endpoint, action: 'ping' | 'enable') =>
    call({ method: 'POST', path: `${collection}/${endpointId}/${action}`, pair, body: {} });

  return {
    get,
    enable: (endpoint: Endpoint) => post(endpoint, 'enable'),
    async create(environmentId: number, pair: KeyPair, url: string): Promise<Endpoint> {
      const created = await call({ method: 'POST', path: collection, pair, body: { url } });
      return {
        environmentId,
        pair,
        endpointId: String(created['endpoint_id']),
        startsAfter: Number(created['position']),
        secret: String(created['secret']),
      };
    },
    /** An endpoint receives events after a successful ping to its URL. */
    async verify(endpoint: Endpoint): Promise<void> {
      for (const deadline = Date.now() + retriesWithinMs; Date.now() < deadline;) {
        await post(endpoint, 'ping');
        if ((await get(endpoint))['status'] !== 'unverified') return;
      }
      throw new Error('no ping succeeds');
    },
    async move({ pair, endpointId }: Endpoint, url: string): Promise<void> {
      await call({ method: 'PATCH', path: `${collection}/${endpointId}`, pair, body: { url } });
    },
    /** The events that the endpoint must get, as its partner reads them from the feed. */
    async feed({ pair, startsAfter, endpointId }: Endpoint): Promise<Record<string, unknown>[]> {
      const events: Record<string, unknown>[] = [];
      for (let after = startsAfter; ;) {
        const page = await call({ method: 'GET', path: `events?after=${after}&limit=1000`, pair });
        events.push(...(page['data'] as Record<string, unknown>[]));
        after = Number(page['next_after']);
        if (page['has_more'] === true) continue;
        // An endpoint receives no events about itself.
        return events.filter(({ data }) => (data as Record<string, unknown>)['endpoint_id'] !== endpointId);
      }
    },
  };
}

export type EndpointClient = ReturnType<typeof createEndpointClient>;

/** The environments that get events, with a key pair of each. */
export function pairsOf({ environments }: Tenants): Map<number, KeyPair> {
  const pairs = new Map<number, KeyPair>();
  for (const { environmentId, company, completer, completerEnvironmentId } of environments) {
    pairs.set(environmentId, company);
    if (completerEnvironmentId !== environmentId) pairs.set(completerEnvironmentId, completer);
  }
  return pairs;
}
