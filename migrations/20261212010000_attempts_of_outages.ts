import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'settle_webhook_batch(integer, uuid, uuid, jsonb)';

/**
 * The batch states how many attempts it adds to a retry, and how many of them an outage can have
 * caused. Processes of the version before state neither.
 */
const changes: readonly (readonly [before: string, after: string])[] = [
  [
    `      SELECT d.event_id, _now + d.wait_seconds * interval '1 second' AS next_attempt_at
        FROM jsonb_to_recordset(_batch -> 'rescheduled') AS d (event_id uuid, wait_seconds float8)
`,
    `      SELECT d.event_id, COALESCE(d.attempts, 1) AS attempts, COALESCE(d.outage_attempts, 1) AS outage_attempts,
             _now + d.wait_seconds * interval '1 second' AS next_attempt_at
        FROM jsonb_to_recordset(_batch -> 'rescheduled')
          AS d (event_id uuid, attempts smallint, outage_attempts smallint, wait_seconds float8)
`,
  ],
  [
    `         SET attempts = r.attempts + 1, outage_attempts = r.outage_attempts + 1,
`,
    `         SET attempts = r.attempts + _retry.attempts, outage_attempts = r.outage_attempts + _retry.outage_attempts,
`,
  ],
  [
    `d.sequence, d.transaction_id, d.attempts, d.attempts,
`,
    `d.sequence, d.transaction_id, d.attempts,
           COALESCE(d.outage_attempts, d.attempts),
`,
  ],
  [
    `        AS d (event_id uuid, sequence bigint, transaction_id text, attempts smallint, wait_seconds float8)
`,
    `        AS d (event_id uuid, sequence bigint, transaction_id text, attempts smallint, outage_attempts smallint,
              wait_seconds float8)
`,
  ],
];

export async function up(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of changes.toReversed()) await replaceInFunction(knex, signature, after, before);
}
