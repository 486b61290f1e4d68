import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'settle_webhook_batch(integer, uuid, uuid, jsonb)';

/**
 * A failure of an attempt from before a change of the settings says nothing about the new ones: it
 * counts for nothing, and the event stays due. The batch names the events that are given up apart
 * from those that were removed. Processes of the version before remove both.
 */
const changes: readonly (readonly [before: string, after: string])[] = [
  [
    `  _continues boolean;
`,
    `  _continues boolean;
  _removed jsonb;
`,
  ],
  [
    `  IF jsonb_array_length(_batch -> 'exhausted_notices') > 0 THEN
`,
    `  IF (_is_unchanged OR NOT _batch ? 'exhausted') AND jsonb_array_length(_batch -> 'exhausted_notices') > 0 THEN
`,
  ],
  [
    `a.kind, a.attempt, a.outcome, a.failure, a.status,
           a.duration_ms, a.response
`,
    `a.kind, a.attempt,
           CASE WHEN _is_unchanged OR a.outcome <> 'exhausted' THEN a.outcome ELSE 'failed' END, a.failure, a.status,
           a.duration_ms, a.response
`,
  ],
  [
    `  IF jsonb_array_length(_batch -> 'removed') > 0 THEN
`,
    `  _removed := _batch -> 'removed' || CASE WHEN _is_unchanged THEN COALESCE(_batch -> 'exhausted', '[]') ELSE '[]' END;
  IF jsonb_array_length(_removed) > 0 THEN
`,
  ],
  [`jsonb_array_elements_text(_batch -> 'removed')`, 'jsonb_array_elements_text(_removed)'],
  [
    `          AS d (event_id uuid, attempts smallint, outage_attempts smallint, wait_seconds float8)
    LOOP
`,
    `          AS d (event_id uuid, attempts smallint, outage_attempts smallint, wait_seconds float8)
       WHERE _is_unchanged OR d.attempts = 0
    LOOP
`,
  ],
  [
    `    SELECT _environment_id, _endpoint_id, d.event_id, d.sequence, d.transaction_id, d.attempts,
           COALESCE(d.outage_attempts, d.attempts),
           _now + d.wait_seconds * interval '1 second', _now
`,
    `    SELECT _environment_id, _endpoint_id, d.event_id, d.sequence, d.transaction_id,
           CASE WHEN _is_unchanged THEN d.attempts ELSE 0 END,
           CASE WHEN _is_unchanged THEN COALESCE(d.outage_attempts, d.attempts) ELSE 0 END,
           CASE WHEN _is_unchanged OR d.attempts = 0 THEN _now + d.wait_seconds * interval '1 second' ELSE _now END, _now
`,
  ],
];

export async function up(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of changes.toReversed()) await replaceInFunction(knex, signature, after, before);
}
