import type { PoolClient } from 'pg';

import { isCitus } from '../support/citus/databases';
import { createClient, type Client } from '../support/client';
import { isPooled } from '../support/pooler';
import { startService, type TestCompany, type TestService } from '../support/service';
import { until } from '../support/until';
import { verifyEndpoint } from '../support/added-endpoint';

/** Webhook endpoints during a reset, which moves them. No endpoint and no change is lost. */
const path = '/company/integration/webhook-endpoints';
const url = 'https://app.example.com/webhooks';

let service: TestService;
/** This service receives no notifications, so it uses an old pair for a second after a reset. */
let other: TestService;

beforeAll(async () => {
  // Seven statements wait at once.
  const settings = { SANDBOX_RESETS_PER_DAY: '50', DATABASE_POOL_SIZE: '10' };
  service = await startService({ settings });
  other = await startService({
    database: service.database,
    settings: { ...settings, DATABASE_NOTIFICATIONS_URL: 'postgres://nobody:nothing@127.0.0.1:1/none' },
  });
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

interface Endpoint {
  endpoint_id: string;
  url: string;
  description: string | null;
  status: string;
  secret_version: number;
}

/** A replay of the whole feed. */
const all = { from_sequence: 1 };

const reset = (client: Client) => client.post('/company/integration/sandbox/reset', {}).expect(200);
const one = ({ endpoint_id: id }: Endpoint): string => `${path}/${id}`;

async function add(client: Client, name: string): Promise<Endpoint> {
  const { body } = await client.post(path, { url: `${url}/${name}` }).expect(201);
  await verifyEndpoint(service.database.admin, body.endpoint_id as string);
  return { ...(body as Endpoint), status: 'enabled' };
}

/** The endpoints by the last part of their URLs. */
async function listed(client: Client): Promise<Record<string, Endpoint>> {
  const { body } = await client.get(path).expect(200);
  const { data } = body as { data: Endpoint[] };
  return Object.fromEntries(data.map((each) => [each.url.slice(url.length + 1), each]));
}

describe('a process that has not received the reset yet', () => {
  let company: TestCompany;
  let elsewhere: Client;
  let endpoint: Endpoint;

  beforeEach(async () => {
    company = await service.addCompany();
    endpoint = await add(company.test, 'moved');
    elsewhere = createClient(other.server, company.test);
    await elsewhere.get(path).expect(200);
    await reset(company.test);
  });

  test('adds an endpoint to the new environment', async () => {
    await add(elsewhere, 'added');
    expect(Object.keys(await listed(company.test))).toEqual(['moved', 'added']);
  });

  const reads: [string, () => PromiseLike<{ status: number; body: unknown }>, number][] = [
    ['reads', () => elsewhere.get(one(endpoint)), 200],
    ['changes', () => elsewhere.patch(one(endpoint), { description: 'changed' }), 200],
    ['moves', () => elsewhere.patch(one(endpoint), { url: `${url}/again` }), 200],
    ['rotates the secret of', () => elsewhere.post(`${one(endpoint)}/rotate-secret`, {}), 200],
    ['disables', () => elsewhere.post(`${one(endpoint)}/disable`), 200],
    ['enables', () => elsewhere.post(`${one(endpoint)}/enable`), 200],
    ['pings', () => elsewhere.post(`${one(endpoint)}/ping`), 200],
    ['lists the attempts of', () => elsewhere.get(`${one(endpoint)}/attempts`), 200],
    [
      'previews a replay for',
      () => elsewhere.post(`${one(endpoint)}/replays`, { ...all, dry_run: true }),
      200,
    ],
    ['replays events for', () => elsewhere.post(`${one(endpoint)}/replays`, all), 201],
    ['lists the replays of', () => elsewhere.get(`${one(endpoint)}/replays`), 200],
    ['deletes', () => elsewhere.delete(one(endpoint)), 204],
  ];
  test.each(reads)('%s the endpoint that moved', async (_, send, status) => {
    expect(await send()).toMatchObject({ status });
  });

  test('reads a replay that began after the reset', async () => {
    const { body } = await company.test.post(`${one(endpoint)}/replays`, all).expect(201);
    const replay = `${one(endpoint)}/replays/${(body as { replay_id: string }).replay_id}`;
    expect(await elsewhere.get(replay)).toMatchObject({ status: 200 });
    const { body: unknown } = await elsewhere
      .get(`${one(endpoint)}/replays/${endpoint.endpoint_id}`)
      .expect(404);
    expect(unknown).toMatchObject({ code: 'webhook_replay_not_found' });
  });

  test('cancels a replay that began after the reset', async () => {
    const { body } = await company.test.post(`${one(endpoint)}/replays`, all).expect(201);
    const replay = `${one(endpoint)}/replays/${(body as { replay_id: string }).replay_id}`;
    expect(await elsewhere.post(`${replay}/cancel`)).toMatchObject({ status: 200 });
  });

  test('lists the endpoint that moved', async () => {
    expect(Object.keys(await listed(elsewhere))).toEqual(['moved']);
  });

  test('responds with 404 for an unknown endpoint', async () => {
    const unknown = { ...endpoint, endpoint_id: '019aa1b2-8d4e-7f60-9a7b-8c9d0e1f2a3c' };
    const { body } = await elsewhere.get(one(unknown)).expect(404);
    expect(body).toMatchObject({ code: 'webhook_endpoint_not_found' });
  });
});

/** Runs in a transaction that ends after `during`. */
async function inTransaction(
  statements: (client: PoolClient) => Promise<unknown>,
  during: () => Promise<void>,
  end: 'COMMIT' | 'ROLLBACK',
): Promise<void> {
  const client = await service.database.admin.connect();
  try {
    await client.query('BEGIN');
    await statements(client);
    await during();
  } finally {
    await client.query(end);
    client.release();
  }
}

/** Waits until this many statements are blocked by locks. Statements on workers are not counted. */
async function untilBlocked(count: number): Promise<void> {
  await until(`${count} statements are blocked`, async () => {
    const { rows } = await service.database.admin.query<{ count: number }>(
      isCitus
        ? 'SELECT count(DISTINCT waiting_gpid)::integer AS count FROM citus_lock_waits'
        : `SELECT count(*)::integer AS count FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0]!.count >= count;
  });
}

describe('a reset', () => {
  test('moves changes that commit while it runs', async () => {
    const { test: client } = await service.addCompany();
    const [changed, deleted] = [await add(client, 'changed'), await add(client, 'deleted')];
    let running: PromiseLike<unknown> | undefined;
    await inTransaction(
      async (other) => {
        await other.query(`UPDATE webhook_endpoints SET description = 'yes' WHERE endpoint_id = $1`, [
          changed.endpoint_id,
        ]);
        await other.query('DELETE FROM webhook_endpoints WHERE endpoint_id = $1', [deleted.endpoint_id]);
      },
      async () => {
        running = reset(client).then((response) => response);
        await untilBlocked(1);
      },
      'COMMIT',
    );
    await running;
    expect(await listed(client)).toEqual({ changed: { ...changed, description: 'yes', secret: undefined } });
  });

  test('moves an endpoint that is being added', async () => {
    const { test: client } = await service.addCompany();
    const rival = await service.addCompany();
    const first = await add(client, 'first');
    let adding: Promise<Endpoint> | undefined;
    let running: PromiseLike<unknown> | undefined;
    await inTransaction(
      // The new endpoint waits for the end of another one with the same URL.
      (other) =>
        other.query(`UPDATE webhook_endpoints SET url = $2 WHERE endpoint_id = $1`, [
          first.endpoint_id,
          `${url}/added`,
        ]),
      async () => {
        adding = add(client, 'added');
        await untilBlocked(1);
        running = reset(client).then((response) => response);
        await untilBlocked(2);
        // Another company does not wait.
        await add(rival.test, 'added');
      },
      'ROLLBACK',
    );
    await Promise.all([adding, running]);
    expect(Object.keys(await listed(client))).toEqual(['first', 'added']);
  });

  test('applies requests that arrive while it runs to the new environment', async () => {
    const { test: client } = await service.addCompany();
    const names = ['changed', 'rotated', 'disabled', 'deleted', 'last'] as const;
    const endpoints: Partial<Record<(typeof names)[number], Endpoint>> = {};
    for (const name of names) endpoints[name] = await add(client, name);
    const { changed, rotated, disabled, deleted, last } = endpoints as Record<
      (typeof names)[number],
      Endpoint
    >;
    let responses: Promise<unknown[]> | undefined;
    await inTransaction(
      // The reset locks this endpoint last.
      (other) =>
        other.query(`UPDATE webhook_endpoints SET description = 'last' WHERE endpoint_id = $1`, [
          last.endpoint_id,
        ]),
      async () => {
        const running = reset(client).then((response) => response);
        await untilBlocked(1);
        responses = Promise.all([
          running,
          client.patch(one(changed), { description: 'yes' }).expect(200),
          client.post(`${one(rotated)}/rotate-secret`, {}).expect(200),
          client.post(`${one(disabled)}/disable`).expect(200),
          client.delete(one(deleted)).expect(204),
          client.post(`${one(changed)}/replays`, all).expect(201),
          add(client, 'added'),
        ]);
        // The PgBouncer of the tests has 4 connections to the server, also for other work.
        await untilBlocked(isPooled ? 2 : 7);
      },
      'COMMIT',
    );
    await responses;
    const now = await listed(client);
    expect(Object.keys(now).sort()).toEqual(['added', 'changed', 'disabled', 'last', 'rotated']);
    expect([now['changed']!.description, now['last']!.description]).toEqual(['yes', 'last']);
    expect(now['rotated']!.secret_version).toBe(2);
    expect(now['disabled']!.status).toBe('disabled');
  });
});
