import { setTimeout as delay } from 'node:timers/promises';

import { Client } from 'pg';

import { sessionConfig } from '../../../../src/db/session-settings';
import type { PostgresServer } from '../postgres/postgres-server';
import type { Random } from '../random';
import { databaseName, type World } from '../world';
import type { FaultKind } from './kind';

/** The service's connections, except for the listening one. */
const ofService = `application_name = 'contribution-service'`;

/** Waits until the server accepts connections again by itself, and starts it if it has stopped. */
async function ensureRunning(server: PostgresServer): Promise<void> {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline;) {
    if (!server.isRunning) await server.start();
    else if (await server.acceptsQueries()) return;
    await delay(20);
  }
  throw new Error('PostgreSQL does not come back');
}

export const postgresKilled: FaultKind = {
  name: 'PostgreSQL killed',
  async inject({ pair }) {
    const hitAt = Date.now();
    await pair.primary.kill();
    await pair.primary.start();
    return { hitAt };
  },
};

export const postgresProcessKilled: FaultKind = {
  name: 'process of PostgreSQL killed',
  async inject({ pair }, random) {
    const hitAt = Date.now();
    pair.primary.killOneBackend((processIds) => random.pick(processIds));
    await delay(50);
    await ensureRunning(pair.primary);
    return { hitAt };
  },
};

export const postgresRestarted: FaultKind = {
  name: 'PostgreSQL restarted',
  async inject({ pair }) {
    const hitAt = Date.now();
    await pair.primary.stop();
    await pair.primary.start();
    return { hitAt };
  },
};

export const connectionsTerminated: FaultKind = {
  name: 'database connections terminated',
  async inject({ pair }, random) {
    const hitAt = Date.now();
    for (let times = random.integer(1, 5); times > 0; times -= 1) {
      await pair.primary.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ofService}`);
      await delay(random.integer(5, 100));
    }
    return { hitAt };
  },
};

export async function cancelStatements(server: PostgresServer, forMs: number): Promise<void> {
  for (const end = Date.now() + forMs; Date.now() < end;) {
    await server.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE ${ofService} AND state = 'active'`,
    );
    await delay(5);
  }
}

export const statementsCancelled: FaultKind = {
  name: 'statements cancelled',
  async inject({ pair }, random) {
    const hitAt = Date.now();
    await cancelStatements(pair.primary, random.integer(200, 1_000));
    return { hitAt };
  },
};

async function holdLock(world: World, lock: string, random: Random): Promise<void> {
  const client = new Client(
    sessionConfig({ connectionString: world.pair.primary.url(databaseName), ssl: false }),
  );
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(lock);
    await delay(random.integer(300, 1_500));
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

export const rowsLocked: FaultKind = {
  name: 'rows locked',
  async inject(world, random) {
    const hitAt = Date.now();
    const table = random.pick(['users', 'transactions', 'supports', 'events', 'projects']);
    await holdLock(world, `LOCK TABLE ${table} IN EXCLUSIVE MODE`, random);
    return { hitAt };
  },
};

export const diskFull: FaultKind = {
  name: 'disk full',
  whyUnavailable: ({ pair }) => pair.disk.whyNotFillable,
  async inject({ pair }, random) {
    const hitAt = Date.now();
    const { disk, primary } = pair;
    await disk.fill(random.integer(16, 512) * 1024);
    await delay(random.integer(500, 2_500));
    await disk.free();
    await ensureRunning(primary);
    return { hitAt };
  },
};
