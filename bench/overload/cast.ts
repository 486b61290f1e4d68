import { drawKeyPair } from '../../src/core/key-pairs/credentials';
import { generateTransactionId } from '../../src/shared/transaction-id';
import {
  addPending,
  base,
  comparedOperations,
  get,
  put,
  type RequestSpec,
  type RequestWorld,
} from '../operations';
import { createTenant, type Tenant } from '../world/tenant';

/** The participants of a hostile load. Each is a separate company with the default rate limits. */
export interface Cast {
  bank: RequestWorld;
  partner: RequestWorld;
  /** The company that sends bursts. */
  busy: RequestWorld;
  flooders: readonly [RequestWorld, RequestWorld];
}

/** @param bank completes its own contributions */
export async function createCast(bank: RequestWorld): Promise<Cast> {
  const { ownerUrl } = bank;
  const world = async (place: number): Promise<RequestWorld> => ({
    ownerUrl,
    tenant: await createTenant(ownerUrl, place),
  });
  return {
    bank,
    partner: await world(2),
    busy: await world(3),
    flooders: [await world(4), await world(5)],
  };
}

export function requestsOf(name: string, world: RequestWorld, count: number): Promise<RequestSpec[]> {
  const operation = comparedOperations.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  return operation.requests(world, count);
}

const https = { 'X-Forwarded-Proto': 'https' };
const anonymousCreate: RequestSpec = {
  method: 'PUT',
  path: `${base}/contributions/create`,
  headers: { ...https, 'Content-Type': 'application/json' },
  body: JSON.stringify({ project_id: 1, amount: '1.00', user_hash: 'nobody' }),
};

/** Requests without credentials for what the bank and the partner do. */
export const withoutCredentials = ({ tag }: Tenant): RequestSpec[] => [
  anonymousCreate,
  { ...anonymousCreate, path: `${base}/contributions/${generateTransactionId(tag, new Date())}` },
  { method: 'GET', path: `${base}/projects-stories`, headers: https },
];

/** Well-formed pairs that nobody issued. */
export function withInventedPairs(count: number): RequestSpec[] {
  return Array.from({ length: count }, () => {
    const { apiKey, apiSecret } = drawKeyPair('production');
    return {
      ...anonymousCreate,
      headers: { ...anonymousCreate.headers, 'API-Key': apiKey, 'API-Secret': apiSecret },
    };
  });
}

/** An API-Key of another company, with wrong secrets. */
export function withWrongSecrets({ apiKey }: Tenant, count: number): RequestSpec[] {
  return Array.from({ length: count }, () => ({
    ...anonymousCreate,
    headers: {
      ...anonymousCreate.headers,
      'API-Key': apiKey,
      'API-Secret': drawKeyPair('production').apiSecret,
    },
  }));
}

const longestPage = 1_000;

/** The largest and slowest responses that a partner can ask for. */
export async function longLists(world: RequestWorld): Promise<RequestSpec[]> {
  await addPending(world, longestPage);
  return [get(world.tenant, `/contributions?limit=${longestPage}`)];
}

/** Completions of transactions that do not exist. The database must look each one up. */
export const invalidCompletions = ({ tenant }: RequestWorld, count: number): RequestSpec[] =>
  Array.from({ length: count }, () =>
    put(tenant, `/contributions/${generateTransactionId(tenant.tag, new Date())}`, { status: 'completed' }),
  );
