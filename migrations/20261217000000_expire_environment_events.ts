import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'expire_environment_events(integer, integer)';

const place = `  DELETE FROM feed_events d
`;

/** As in expire_feed_events. */
const deletion = `  DELETE FROM environment_events v
   WHERE v.environment_id = _environment_id AND v.event_id IN (
     SELECT d.event_id FROM feed_events d
      WHERE d.environment_id = _environment_id AND d.sequence >= _first AND d.sequence < _next
        AND d.transaction_id IS NULL);
`;

/**
 * The expiry of one feed also deletes the events that concern no contribution. This also deletes
 * those that remained. They are older than 180 days, so none still waits for its feed.
 */
export async function up(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, place, deletion + place);
  await knex.raw(`
    DELETE FROM environment_events v
     WHERE v.recorded_at < now() - interval '180 days'
       AND NOT EXISTS (
         SELECT FROM event_queue q WHERE q.environment_id = v.environment_id AND q.event_id = v.event_id)
       AND NOT EXISTS (
         SELECT FROM feed_events f WHERE f.environment_id = v.environment_id AND f.event_id = v.event_id)`);
}

export const down = (knex: Knex): Promise<void> =>
  replaceInFunction(knex, signature, deletion + place, place);
