import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

/** Each change: the function, the text before, and the text after. */
const changes: readonly (readonly [string, string, string])[] = [
  [
    'count_contributions(integer, timestamptz)',
    `  IF NOT pg_try_advisory_xact_lock(1179010376, 2) THEN
`,
    `  IF NOT (pg_try_advisory_xact_lock(1179010376, 3) AND pg_try_advisory_xact_lock_shared(1179010376, 2)) THEN
`,
  ],
  [
    'count_contributions(integer, timestamptz)',
    `  FOR _environment_id IN
`,
    `  -- Before the feeds are read: an event that a relay moves meanwhile is seen here or in its feed.
  SELECT min(q.queued_at) FROM event_queue q INTO _oldest_queued_at;
  FOR _environment_id IN
`,
  ],
  [
    'count_contributions(integer, timestamptz)',
    `  SELECT min(q.queued_at) FROM event_queue q INTO _oldest_queued_at;
  INSERT INTO contribution_totals_turn`,
    `  INSERT INTO contribution_totals_turn`,
  ],
  [
    'count_environment_contributions(integer, integer)',
    `  IF NOT pg_try_advisory_xact_lock(1179010376, 2) THEN
`,
    `  IF NOT (pg_try_advisory_xact_lock(1179010376, 3) AND pg_try_advisory_xact_lock_shared(1179010376, 2)) THEN
`,
  ],
  [
    'count_contributions_of(integer, timestamptz, integer)',
    `  _cells jsonb;
BEGIN
`,
    `  _cells jsonb;
  _event_ids uuid[];
  _transaction_ids text[];
BEGIN
`,
  ],
  [
    'count_contributions_of(integer, timestamptz, integer)',
    `  SELECT jsonb_agg(to_jsonb(cell))
`,
    `  -- Arrays, and no nested loop: statistics that do not know a new environment otherwise lead to a plan
  -- that reads all its rows for each of its events.
  SELECT array_agg(k.event_id) FROM feed_events k
   WHERE k.environment_id = _environment_id AND k.sequence > _from AND k.sequence <= _to
     AND k.owner_environment_id = _environment_id
    INTO _event_ids;
  SELECT array_agg(DISTINCT e.transaction_id) FROM events e
   WHERE e.environment_id = _environment_id AND e.event_id = ANY (_event_ids)
    INTO _transaction_ids;

  SELECT jsonb_agg(to_jsonb(cell))
`,
  ],
  [
    'count_contributions_of(integer, timestamptz, integer)',
    `            FROM feed_events k
            JOIN events e ON e.environment_id = k.environment_id AND e.event_id = k.event_id
            JOIN transactions t ON t.environment_id = e.environment_id AND t.transaction_id = e.transaction_id
           WHERE k.environment_id = _environment_id AND k.sequence > _from AND k.sequence <= _to
             AND k.owner_environment_id = _environment_id
`,
    `            FROM events e
            JOIN transactions t ON t.environment_id = e.environment_id AND t.transaction_id = e.transaction_id
           WHERE e.environment_id = _environment_id AND e.event_id = ANY (_event_ids)
             AND t.environment_id = _environment_id AND t.transaction_id = ANY (_transaction_ids)
`,
  ],
  [
    'count_contributions_of(integer, timestamptz, integer)',
    `AS $function$
`,
    ` SET enable_nestloop TO 'off'
 SET jit TO 'off'
AS $function$
`,
  ],
];

/**
 * Counting for the totals no longer keeps the relay from running, which delayed the events of all
 * companies. It has a lock of its own, and shares with the relay the one that a change of a link
 * takes.
 */
export async function up(knex: Knex): Promise<void> {
  for (const [signature, before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [signature, before, after] of [...changes].reverse())
    await replaceInFunction(knex, signature, after, before);
}
