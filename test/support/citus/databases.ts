import { Client, escapeIdentifier, type QueryResult } from 'pg';

import { sessionConfig } from '../../../src/db/session-settings';
import { createOwnedDatabase } from '../../../src/db/roles/roles';

/**
 * The URLs of the nodes' superusers, the coordinator first, of a test run on Citus. Undefined on
 * PostgreSQL.
 */
export function citusNodeUrls(): string[] | undefined {
  const urls = process.env['TEST_CITUS_NODES'];
  return urls === undefined ? undefined : (JSON.parse(urls) as string[]);
}

export const isCitus = process.env['TEST_CITUS_NODES'] !== undefined;

/** Settings for a service on Citus: limits sent with a connection do not reach the workers. */
export const citusSettings = { DATABASE_TIMEOUTS: 'role' };

export async function onDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(sessionConfig({ connectionString: url }));
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const inDatabase = (url: string, database: string): string => {
  const parsed = new URL(url);
  parsed.pathname = `/${database}`;
  return parsed.href;
};

/**
 * Creates an empty database on every node and makes the first node its coordinator.
 *
 * @param shardCount few shards make a copy fast
 */
export async function createCitusDatabase(
  urls: readonly string[],
  name: string,
  shardCount: number,
): Promise<void> {
  for (const url of urls) await prepareNode(url, name);
  const [coordinator = '', ...workers] = urls;
  await onDatabase(inDatabase(coordinator, name), async (client) => {
    await client.query(`ALTER DATABASE ${escapeIdentifier(name)} SET citus.shard_count = ${shardCount}`);
    await client.query('SELECT citus_set_coordinator_host($1, $2::integer)', addressOf(coordinator));
    for (const worker of workers) {
      await client.query('SELECT citus_add_node($1, $2::integer)', addressOf(worker));
    }
  });
}

/** Creates the database on a node, which is not yet part of a cluster. */
export async function prepareNode(url: string, name: string): Promise<void> {
  await onDatabase(url, (client) => createOwnedDatabase(client, name));
  await onDatabase(inDatabase(url, name), (client) => client.query('CREATE EXTENSION citus'));
}

const addressOf = (url: string): [host: string, port: string] => {
  const { hostname, port } = new URL(url);
  return [hostname, port];
};

/**
 * Makes the database a template: nobody connects to it any more, including Citus's maintenance
 * daemon, which would keep a copy from starting.
 */
export async function sealTemplate(urls: readonly string[], name: string): Promise<void> {
  await onEvery(urls, async (client) => {
    await client.query(`ALTER DATABASE ${escapeIdentifier(name)} ALLOW_CONNECTIONS false`);
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  });
}

/**
 * Copies a sealed template on every node. The copy is a separate cluster. The addresses of the
 * nodes and the object ids of the tables stay the same. On the workers, Citus uses the database
 * with the name of the session's database.
 */
export function copyCitusDatabase(urls: readonly string[], name: string, template: string): Promise<void> {
  return onEvery(urls, (client) => createOwnedDatabase(client, name, template));
}

export function dropCitusDatabase(urls: readonly string[], name: string): Promise<void> {
  return onEvery(urls, (client): Promise<QueryResult> =>
    client.query(`DROP DATABASE ${escapeIdentifier(name)} WITH (FORCE)`),
  );
}

async function onEvery(urls: readonly string[], work: (client: Client) => Promise<unknown>): Promise<void> {
  await Promise.all(urls.map((url) => onDatabase(url, work)));
}
