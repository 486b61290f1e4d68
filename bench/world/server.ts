import { randomBytes } from 'node:crypto';
import { totalmem } from 'node:os';
import path from 'node:path';

import { Client } from 'pg';

import { startEmbeddedDatabase } from '../../src/db/embedded-database';
import { ensureRoles, ownerRole, serviceRole } from '../../src/db/roles/roles';

/** The PostgreSQL server for all measurements. */
export interface Server {
  url: (role: 'superuser' | 'owner' | 'service', database: string) => string;
  /** Runs one statement as the superuser in the maintenance database. */
  query: <Row extends object>(text: string) => Promise<Row[]>;
  stop: () => Promise<void>;
}

/**
 * A quarter of the memory, as PostgreSQL's documentation recommends for a dedicated server, and at
 * most 8 GB.
 */
const sharedBuffersMegabytes = Math.floor(Math.min(totalmem() / 4 / 1024 ** 2, 8 * 1024));

/** Settings for a server of that size. Settings that make commits durable keep their defaults. */
const settings = {
  max_connections: '300',
  shared_buffers: `${sharedBuffersMegabytes}MB`,
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
  effective_cache_size: '8GB',
  random_page_cost: '1.1',
};

/**
 * Uses the server at BENCH_POSTGRES_URL, or starts one in `.data/bench` that keeps its databases.
 * The URL must be a superuser's, of a server that nothing else uses: both roles get new passwords.
 *
 * @throws Error if commits are not durable on the server, because results would not be comparable
 */
export async function openServer(): Promise<Server> {
  const given = process.env['BENCH_POSTGRES_URL'];
  const server = given === undefined ? await openOwn() : await openGiven(given);
  try {
    const unsafe = await server.query<{ name: string }>(
      `SELECT name FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') AND setting <> 'on'`,
    );
    if (unsafe.length > 0) throw new Error(`${unsafe.map(({ name }) => name).join(', ')} must be on`);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function openOwn(): Promise<Server> {
  const postgres = await startEmbeddedDatabase({ dataDirectory: path.resolve('.data', 'bench'), settings });
  return {
    url: (role, database) => postgres.connectionString(role, database),
    query: (text) => queryAt(postgres.connectionString('superuser', 'postgres'), text),
    stop: () => postgres.stop(),
  };
}

async function openGiven(superuserUrl: string): Promise<Server> {
  const password = (): string => randomBytes(24).toString('base64url');
  const passwords = { owner: password(), service: password() };
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  await ensureRoles(client, passwords).finally(() => client.end());
  return {
    url(role, database) {
      const url = new URL(superuserUrl);
      url.pathname = `/${database}`;
      if (role !== 'superuser') {
        url.username = role === 'owner' ? ownerRole : serviceRole;
        url.password = passwords[role];
      }
      return url.href;
    },
    query: (text) => queryAt(superuserUrl, text),
    stop: () => Promise.resolve(),
  };
}

/** Runs one statement on a new connection. */
export async function queryAt<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, application_name: 'bench' });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
