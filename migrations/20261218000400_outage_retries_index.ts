import type { Knex } from 'knex';

import { createIndexConcurrently, dropIndexConcurrently } from '../src/db/migrations/concurrent-index';

/** Finds the few retries that have failed since the last success of their endpoint. */
// CREATE INDEX CONCURRENTLY cannot run in a transaction.
export const config = { transaction: false };

const name = 'webhook_retries_of_outage';

export const up = (knex: Knex): Promise<void> =>
  createIndexConcurrently(
    knex,
    name,
    'webhook_retries (environment_id, endpoint_id) WHERE outage_attempts > 0',
  );

export const down = (knex: Knex): Promise<void> => dropIndexConcurrently(knex, name);
