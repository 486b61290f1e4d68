import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

/**
 * Citus rejects updates that compute times from columns or in conditions, and cannot deparse a
 * condition that compares one value with several.
 */
const changes: readonly (readonly [before: string, after: string])[] = [
  [
    `  _is_unchanged boolean;
`,
    `  _lease_end timestamptz := _now + interval '30 seconds';
  _retry record;
  _is_unchanged boolean;
`,
  ],
  [
    `CASE _batch #>> '{health,failing_since}'
                                WHEN 'before' THEN COALESCE(w.failing_since, _now) WHEN 'now' THEN _now END`,
    `CASE WHEN _batch #>> '{health,failing_since}' = 'before' THEN COALESCE(w.failing_since, _now)
                                WHEN _batch #>> '{health,failing_since}' = 'now' THEN _now END`,
  ],
  [
    `leased_until = CASE WHEN _continues THEN _now + interval '30 seconds' END`,
    `leased_until = CASE WHEN _continues THEN _lease_end END`,
  ],
  [
    `    UPDATE webhook_retries r
       SET attempts = r.attempts + 1, outage_attempts = r.outage_attempts + 1,
           next_attempt_at = _now + d.wait_seconds * interval '1 second'
      FROM jsonb_to_recordset(_batch -> 'rescheduled') AS d (event_id uuid, wait_seconds float8)
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = d.event_id;
`,
    `    FOR _retry IN
      SELECT d.event_id, _now + d.wait_seconds * interval '1 second' AS next_attempt_at
        FROM jsonb_to_recordset(_batch -> 'rescheduled') AS d (event_id uuid, wait_seconds float8)
    LOOP
      UPDATE webhook_retries r
         SET attempts = r.attempts + 1, outage_attempts = r.outage_attempts + 1,
             next_attempt_at = _retry.next_attempt_at
       WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _retry.event_id;
    END LOOP;
`,
  ],
];

const signature = 'settle_webhook_batch(integer, uuid, uuid, jsonb)';

export async function up(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  // PostgreSQL checks each version: the statements that use a variable go before its declaration.
  for (const [before, after] of changes.toReversed()) await replaceInFunction(knex, signature, after, before);
}
