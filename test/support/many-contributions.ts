import { randomUUID } from 'node:crypto';

import type { Pool } from 'pg';

import { generateTransactionId } from '../../src/shared/transaction-id';

/** Where contributions are added. */
export interface ContributionsPlace {
  environmentId: number;
  tag: string;
  projectId: number;
}

/**
 * Adds pending contributions of one user, of 10.00 each, with their events, in one statement. They
 * were created a minute ago. Returns their ids.
 */
export async function addManyContributions(
  database: Pool,
  { environmentId, tag, projectId }: ContributionsPlace,
  count: number,
): Promise<string[]> {
  const ids = new Set<string>();
  while (ids.size < count) ids.add(generateTransactionId(tag, new Date()));
  await database.query(
    `WITH owner AS (
       INSERT INTO users (environment_id, user_hash) VALUES ($1, $3) RETURNING user_id
     ), made AS (
       INSERT INTO transactions (environment_id, transaction_id, user_id, project_id, amount_cents, currency, status,
         created_by_api_key, created_at)
       SELECT $1, id, owner.user_id, $4, 1000, 'USD', 'pending', 'key', now() - interval '1 minute'
         FROM owner, unnest($2::text[]) AS id
       RETURNING *
     ), event AS (
       INSERT INTO events (environment_id, event_id, transaction_id, type, actor_environment_id, actor_api_key, evidence,
         recorded_at)
       SELECT environment_id, gen_random_uuid(), transaction_id, 'contribution.created', environment_id, 'key', '{}',
              created_at
         FROM made RETURNING environment_id, event_id
     )
     INSERT INTO event_queue (environment_id, event_id, queued_at) SELECT environment_id, event_id, now() FROM event`,
    [environmentId, [...ids], randomUUID(), projectId],
  );
  return [...ids];
}
