import type { Knex } from 'knex';

import { createIndexConcurrently, dropIndexConcurrently } from '../src/db/migrations/concurrent-index';

/** Finds the due retries of an endpoint without reading those that wait for a later attempt. */
// CREATE INDEX CONCURRENTLY cannot run in a transaction.
export const config = { transaction: false };

const name = 'webhook_retries_by_next_attempt';

export const up = (knex: Knex): Promise<void> =>
  createIndexConcurrently(
    knex,
    name,
    'webhook_retries (environment_id, endpoint_id, next_attempt_at, sequence, transaction_id)',
  );

export const down = (knex: Knex): Promise<void> => dropIndexConcurrently(knex, name);
