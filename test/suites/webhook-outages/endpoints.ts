import type { Exchange, HttpClient, KeyPair } from '../faults/clients/http';
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

function bodyOf({ response }: Exchange, what: string): Record<string, unknown> {
  if (response && response.status < 300) return response.body;
  throw new Error(
    `${what}: ${response ? `${response.status} ${JSON.stringify(response.body)}` : 'no response'}`,
  );
}

/** The partner's requests about its endpoints. */
export function createEndpointClient(http: HttpClient) {
  const post = async ({ pair, endpointId }: Endpoint, action: 'ping' | 'enable') =>
    bodyOf(
      await http.send({ method: 'POST', path: `${collection}/${endpointId}/${action}`, pair, body: {} }),
      action,
    );

  return {
    async create(environmentId: number, pair: KeyPair, url: string): Promise<Endpoint> {
      const created = bodyOf(
        await http.send({ method: 'POST', path: collection, pair, body: { url } }),
        'create',
      );
      return {
        environmentId,
        pair,
        endpointId: String(created['endpoint_id']),
        startsAfter: Number(created['position']),
        secret: String(created['secret']),
      };
    },
    /** In production, an endpoint receives events after a successful ping to its URL. */
    ping: (endpoint: Endpoint) => post(endpoint, 'ping'),
    enable: (endpoint: Endpoint) => post(endpoint, 'enable'),
    async get({ pair, endpointId }: Endpoint) {
      return bodyOf(await http.send({ method: 'GET', path: `${collection}/${endpointId}`, pair }), 'get');
    },
    async move({ pair, endpointId }: Endpoint, url: string): Promise<void> {
      const path = `${collection}/${endpointId}`;
      bodyOf(await http.send({ method: 'PATCH', path, pair, body: { url } }), 'move');
    },
    /** The events that the endpoint must get, as its partner reads them from the feed. */
    async feed({ pair, startsAfter, endpointId }: Endpoint): Promise<Record<string, unknown>[]> {
      const events: Record<string, unknown>[] = [];
      for (let after = startsAfter; ;) {
        const path = `events?after=${after}&limit=1000`;
        const page = bodyOf(await http.send({ method: 'GET', path, pair }), 'read the feed');
        events.push(...(page['data'] as Record<string, unknown>[]));
        after = Number(page['next_after']);
        if (page['has_more'] === true) continue;
        // An endpoint is not told about itself.
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
