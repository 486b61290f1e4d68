import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'settle_webhook_batch(integer, uuid, uuid, jsonb)';

/**
 * Looks up each retry that has ended, and the next one of its contribution. In one statement for
 * all of them, a generic plan reads all retries of the endpoint.
 */
const changes: readonly (readonly [before: string, after: string])[] = [
  [
    `  _removed jsonb;
`,
    `  _removed jsonb;
  _removed_id uuid;
  _subject text;
`,
  ],
  [
    `    WITH removed AS (
      DELETE FROM webhook_retries r
       WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id
         AND r.event_id IN (SELECT d.id::uuid FROM jsonb_array_elements_text(_removed) AS d (id))
      RETURNING r.transaction_id
    )
    SELECT array_agg(r.transaction_id) FROM removed r INTO _ended;
`,
    `    FOR _removed_id IN SELECT d.id::uuid FROM jsonb_array_elements_text(_removed) AS d (id)
    LOOP
      DELETE FROM webhook_retries r
       WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _removed_id
      RETURNING r.transaction_id INTO _subject;
      _ended := _ended || _subject;
    END LOOP;
`,
  ],
  [
    `    UPDATE webhook_retries r SET next_attempt_at = _now
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id
       AND r.transaction_id = ANY (_ended) AND NOT isfinite(r.next_attempt_at)
       AND r.sequence = (
         SELECT min(b.sequence) FROM webhook_retries b
          WHERE b.environment_id = _environment_id AND b.endpoint_id = _endpoint_id
            AND b.transaction_id = r.transaction_id);
`,
    `    FOR _retry IN
      SELECT next.event_id
        FROM unnest(_ended) AS s (transaction_id)
       CROSS JOIN LATERAL (
         SELECT r.event_id, r.next_attempt_at FROM webhook_retries r
          WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id
            AND r.transaction_id = s.transaction_id
          ORDER BY r.sequence LIMIT 1
       ) AS next
       WHERE NOT isfinite(next.next_attempt_at)
    LOOP
      UPDATE webhook_retries r SET next_attempt_at = _now
       WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _retry.event_id;
    END LOOP;
`,
  ],
];

export async function up(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of changes.toReversed()) await replaceInFunction(knex, signature, after, before);
}
