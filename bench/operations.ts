import { generateTransactionId } from '../src/shared/transaction-id';
import type { Tenant } from './world/tenant';
import { queryAt } from './world/server';

export const base = '/company/integration';

/** A request to send. */
export interface RequestSpec {
  method: 'GET' | 'PUT';
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** The requests of one operation, sent in order. */
export interface Operation {
  name: string;
  title: string;
  /** Each request can be sent only once, because its effect cannot be repeated. */
  once: boolean;
  /** @param count the maximum number of different requests */
  requests: (world: RequestWorld, count: number) => Promise<RequestSpec[]>;
}

/** Maximum requests per second for operations whose requests can be sent only once. */
const mostPerSecond = 4_000;

/**
 * @returns the requests for a number of seconds: always the same ones, or new ones if each can be
 *   sent only once
 */
export async function requestsFor(
  operation: Operation,
  world: RequestWorld,
): Promise<(seconds: number) => Promise<readonly RequestSpec[]>> {
  if (operation.once) return (seconds) => operation.requests(world, Math.ceil(seconds * mostPerSecond));
  const reusable = await operation.requests(world, 5_000);
  return () => Promise.resolve(reusable);
}

/** The data from which requests are built. */
export interface RequestWorld {
  ownerUrl: string;
  tenant: Tenant;
}

/**
 * Number of different users in reads. It is large enough that no database page is used much more
 * than others.
 */
const mostUsers = 5_000;

export const get = (tenant: Tenant, path: string): RequestSpec => ({
  method: 'GET',
  path: base + path,
  headers: tenant.headers,
});
export const put = (tenant: Tenant, path: string, body: object): RequestSpec => ({
  method: 'PUT',
  path: base + path,
  headers: { ...tenant.headers, 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** Users of the tenant, spread evenly. The two extreme users are excluded. */
async function userHashes({ ownerUrl, tenant }: RequestWorld, count: number): Promise<string[]> {
  const rows = await queryAt<{ user_hash: string }>(
    ownerUrl,
    `SELECT u.user_hash
       FROM bench.environments e
       CROSS JOIN LATERAL generate_series(e.first_user + 2, e.first_user + e.users - 1,
                                          GREATEST(1, (e.users - 2) / $2::bigint)) AS user_number
       JOIN users u ON u.environment_id = e.environment_id AND u.user_id = user_number
      WHERE e.environment_id = $1`,
    [tenant.environmentId, Math.min(count, mostUsers)],
  );
  return rows.map((row) => row.user_hash);
}

/** Inserts pending contributions with their events, as the service would. */
export async function addPending({ ownerUrl, tenant }: RequestWorld, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => generateTransactionId(tenant.tag, new Date()));
  const rows = await queryAt<{ transaction_id: string }>(
    ownerUrl,
    `WITH made AS (
       INSERT INTO transactions (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status,
         created_by_api_key, created_at)
       SELECT $1, id, e.first_user + place % e.users, 1 + place % (SELECT max(project_id) FROM projects), 1000, 'USD', 'pending',
              $2, now()
         FROM bench.environments e, unnest($3::text[]) WITH ORDINALITY AS given (id, place) WHERE e.environment_id = $1
       ON CONFLICT DO NOTHING
       RETURNING *
     ),
     event AS (
       INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence)
       SELECT environment_id, gen_random_uuid(), transaction_id, 'contribution.created', environment_id, created_by_api_key,
              jsonb_build_object('project_id', project_id, 'amount_cents', amount_cents)
         FROM made
       RETURNING environment_id, event_id, recorded_at
     ),
     queued AS (
       INSERT INTO event_queue (environment_id, event_id, queued_at) SELECT environment_id, event_id, recorded_at FROM event
     )
     SELECT transaction_id FROM made`,
    [tenant.environmentId, tenant.apiKey, ids],
  );
  return rows.map((row) => row.transaction_id);
}

async function ofUsers(world: RequestWorld, count: number, path: (userHash: string) => string) {
  return (await userHashes(world, count)).map((userHash) => get(world.tenant, path(userHash)));
}

async function projectIds({ ownerUrl }: RequestWorld): Promise<number[]> {
  const rows = await queryAt<{ project_id: number }>(
    ownerUrl,
    'SELECT project_id FROM projects ORDER BY hashint4(project_id) LIMIT 1000',
  );
  return rows.map((row) => row.project_id);
}

/** The operations that are compared with the rivals. */
export const comparedOperations: readonly Operation[] = [
  {
    name: 'main-user',
    title: 'main component of a user',
    once: false,
    requests: (world, count) => ofUsers(world, count, (hash) => `/projects-stories?user_hash=${hash}`),
  },
  {
    name: 'main-stranger',
    title: 'main component of a stranger',
    once: false,
    requests: ({ tenant }) => Promise.resolve([get(tenant, '/projects-stories')]),
  },
  {
    name: 'projects',
    title: 'list of 50 projects',
    once: false,
    requests: ({ tenant }) => Promise.resolve([get(tenant, '/get/projects?limit=50')]),
  },
  {
    name: 'create',
    title: 'create',
    once: false,
    requests: async (world, count) => {
      const [hashes, ids] = await Promise.all([userHashes(world, count), projectIds(world)]);
      return hashes.map((user_hash, place) =>
        put(world.tenant, '/contributions/create', {
          project_id: ids[place % ids.length],
          amount: '25.00',
          user_hash,
        }),
      );
    },
  },
  {
    name: 'complete',
    title: 'complete',
    once: true,
    requests: async (world, count) =>
      (await addPending(world, count)).map((id) =>
        put(world.tenant, `/contributions/${id}`, { status: 'completed' }),
      ),
  },
];

/** The other operations. They are measured at both scales, but not compared with rivals. */
export const furtherOperations: readonly Operation[] = [
  {
    name: 'project',
    title: 'one project for a user',
    once: false,
    requests: async (world, count) => {
      const [hashes, ids] = await Promise.all([userHashes(world, count), projectIds(world)]);
      return hashes.map((hash, place) =>
        get(
          world.tenant,
          `/get/project/${ids[place % ids.length]}?highlights=1&description=1&user_hash=${hash}`,
        ),
      );
    },
  },
  {
    name: 'stories',
    title: 'stories of a project for a user',
    once: false,
    requests: async (world, count) => {
      const [hashes, ids] = await Promise.all([userHashes(world, count), projectIds(world)]);
      return hashes.map((hash, place) =>
        get(world.tenant, `/get/project/${ids[place % ids.length]}/stories?limit=4&user_hash=${hash}`),
      );
    },
  },
  {
    name: 'view',
    title: 'view of a story',
    once: false,
    requests: async (world, count) => {
      const hashes = await userHashes(world, count);
      return hashes.map((user_hash, place) =>
        put(world.tenant, `/stories/${1 + (place % 997)}/views`, { user_hash }),
      );
    },
  },
  {
    name: 'find',
    title: 'one contribution',
    once: false,
    requests: async (world, count) => {
      const rows = await queryAt<{ transaction_id: string }>(
        world.ownerUrl,
        `SELECT transaction_id FROM transactions WHERE environment_id = $1 ORDER BY created_at LIMIT $2`,
        [world.tenant.environmentId, Math.min(count, mostUsers)],
      );
      return rows.map(({ transaction_id: id }) => get(world.tenant, `/contributions/${id}`));
    },
  },
  {
    name: 'contributions',
    title: 'list of 20 contributions',
    once: false,
    requests: ({ tenant }) =>
      Promise.resolve([get(tenant, '/contributions?limit=20&created_from=2026-02-01T00:00:00Z')]),
  },
];
