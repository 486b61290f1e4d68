import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

type Change = readonly [signature: string, before: string, after: string];

const take = 'take_queued_events(integer, uuid[])';
const append = 'append_to_feed(integer, jsonb)';
const expire = 'expire_feed_events(integer)';

const endOfEvents = `
       WHERE e.environment_id = _environment_id AND e.event_id = ANY (_event_ids)
    ) AS part`;

/** The relay moves them like other events. They have their whole content in data. */
const changes: readonly Change[] = [
  [
    take,
    endOfEvents,
    `
       WHERE e.environment_id = _environment_id AND e.event_id = ANY (_event_ids)
       UNION ALL
      SELECT v.event_id, v.environment_id, NULL, v.type, v.recorded_at, NULL, NULL, v.recorded_at, v.data, '{}', v.audience
        FROM environment_events v
       WHERE v.environment_id = _environment_id AND v.event_id = ANY (_event_ids)
    ) AS part`,
  ],
  [
    append,
    `
           || CASE WHEN (r.event ->> 'owner_environment_id')::integer = _environment_id
                   THEN`,
    `
           || CASE WHEN r.event ->> 'transaction_id' IS NULL THEN '{}'
                   WHEN (r.event ->> 'owner_environment_id')::integer = _environment_id
                   THEN`,
  ],
  [
    expire,
    `
    DELETE FROM feed_events d
`,
    `
    DELETE FROM environment_events v
     WHERE v.environment_id = _environment_id AND v.event_id IN (
       SELECT d.event_id FROM feed_events d
        WHERE d.environment_id = _environment_id AND d.sequence >= _first AND d.sequence < _next
          AND d.transaction_id IS NULL);
    DELETE FROM feed_events d
`,
  ],
];

export async function up(knex: Knex): Promise<void> {
  for (const [signature, before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [signature, before, after] of changes) await replaceInFunction(knex, signature, after, before);
}
