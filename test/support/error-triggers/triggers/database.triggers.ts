import { DatabaseError, type PoolClient } from 'pg';

import { createContribution } from '../../../../src/core/contributions/create-contribution.query';
import { type Sample, sampleOf } from '../sample';
import { type ResponseSummary, send } from '../send';
import type { World } from '../world';
import type { ErrorTriggers } from './trigger';

/**
 * Sends a request after its key pair is cached, so a database failure affects the operation only.
 */
async function whenVerified(
  world: World,
  sample: Sample,
  work: (sendIt: () => Promise<ResponseSummary>) => Promise<ResponseSummary>,
): Promise<ResponseSummary> {
  await world.client.get('/company/integration/projects-stories').expect(200);
  return work(() => send(world.service, world.client, sample));
}

/** Repeats the lock after a deadlock with a statement that the service runs in the background. */
async function lockAllTables(holder: PoolClient): Promise<void> {
  for (let deadlocks = 0; ; deadlocks += 1) {
    await holder.query('BEGIN');
    try {
      await holder.query(
        'LOCK TABLE projects, stories, transactions, story_views, bank_links, sandbox_faults, sandbox_requests, feeds, feed_events, webhook_endpoints, webhook_replays, statement_uploads, statement_accounts, account_days, comparing_progress IN ACCESS EXCLUSIVE MODE',
      );
      return;
    } catch (error) {
      const isDeadlock = error instanceof DatabaseError && error.code === '40P01';
      if (!isDeadlock || deadlocks === 3) throw error;
      await holder.query('ROLLBACK');
    }
  }
}

/** Errors of the database and of the service itself. */
export const databaseWays: ErrorTriggers = {
  internal_error: async (world, operation) => {
    const { service, client, values } = await world.withoutPrivileges();
    return send(service, client, sampleOf(operation, values));
  },

  outcome_unknown: async (world, operation) =>
    whenVerified(world, sampleOf(operation, {}), (sendIt) => {
      world.proxy.cutAt('reply', createContribution.name);
      return sendIt();
    }),

  database_unavailable: async (world, operation) =>
    whenVerified(world, sampleOf(operation, await world.pathValues()), async (sendIt) => {
      world.proxy.refuse();
      try {
        return await sendIt();
      } finally {
        world.proxy.restore();
      }
    }),

  database_full: async (world, operation) =>
    whenVerified(world, sampleOf(operation, await world.pathValues()), async (sendIt) => {
      world.proxy.failWith('53100');
      try {
        return await sendIt();
      } finally {
        world.proxy.restore();
      }
    }),

  database_timeout: async (world, operation) =>
    whenVerified(world, sampleOf(operation, await world.pathValues()), async (sendIt) => {
      const holder = await world.database.admin.connect();
      try {
        await lockAllTables(holder);
        return await sendIt();
      } finally {
        await holder.query('ROLLBACK');
        holder.release();
      }
    }),

  overloaded: async (world, operation) => {
    const small = await world.instance('small');
    const sample = sampleOf(operation, await world.pathValues());
    // A slow statement on the only connection. It ends when the response has arrived.
    const slow = small.container.database.runUnprepared('SELECT pg_sleep(1.9)', []).catch(() => undefined);
    const response = await send(small, world.client, sample);
    await world.database.admin.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(1.9)'`,
    );
    await slow;
    return response;
  },

  shutting_down: async (world, operation) => {
    const leaving = await world.instance('leaving');
    leaving.container.health.beginShutdown();
    return send(leaving, leaving.anonymous, sampleOf(operation, {}));
  },
};
