import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'settle_webhook_batch(integer, uuid, uuid, jsonb)';

/**
 * An event that waits for an earlier one of its contribution gets the time `infinity`. The end of
 * the earlier one makes it due. Before, it was due at once, and each search for work read it.
 */
const changes: readonly (readonly [before: string, after: string])[] = [
  [
    `  _removed jsonb;
`,
    `  _removed jsonb;
  _ended text[];
  _blocked text[];
`,
  ],
  [
    `    DELETE FROM webhook_retries r
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id
       AND r.event_id IN (SELECT d.id::uuid FROM jsonb_array_elements_text(_removed) AS d (id));
`,
    `    WITH removed AS (
      DELETE FROM webhook_retries r
       WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id
         AND r.event_id IN (SELECT d.id::uuid FROM jsonb_array_elements_text(_removed) AS d (id))
      RETURNING r.transaction_id
    )
    SELECT array_agg(r.transaction_id) FROM removed r INTO _ended;
`,
  ],
  [
    `           CASE WHEN _is_unchanged OR d.attempts = 0 THEN _now + d.wait_seconds * interval '1 second' ELSE _now END, _now
`,
    `           CASE WHEN d.attempts = 0 AND d.wait_seconds = 0 THEN 'infinity'
                WHEN _is_unchanged OR d.attempts = 0 THEN _now + d.wait_seconds * interval '1 second' ELSE _now END, _now
`,
  ],
  [
    `    ON CONFLICT ON CONSTRAINT webhook_retries_pkey DO NOTHING;
  END IF;
`,
    `    ON CONFLICT ON CONSTRAINT webhook_retries_pkey DO NOTHING;
    SELECT array_agg(d.transaction_id)
      FROM jsonb_to_recordset(_batch -> 'postponed') AS d (transaction_id text, attempts smallint, wait_seconds float8)
     WHERE d.attempts = 0 AND d.wait_seconds = 0
      INTO _blocked;
  END IF;
  -- The first retry of a contribution is due. Others wait for the end of the one before them.
  _ended := _ended || _blocked;
  IF _ended IS NOT NULL THEN
    UPDATE webhook_retries r SET next_attempt_at = _now
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id
       AND r.transaction_id = ANY (_ended) AND NOT isfinite(r.next_attempt_at)
       AND r.sequence = (
         SELECT min(b.sequence) FROM webhook_retries b
          WHERE b.environment_id = _environment_id AND b.endpoint_id = _endpoint_id
            AND b.transaction_id = r.transaction_id);
  END IF;
`,
  ],
];

export async function up(knex: Knex): Promise<void> {
  for (const [before, after] of changes) await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  // Earlier versions never attempt a retry whose time is `infinity`. Wait for the batches that are
  // being recorded. The batches that wait for this lock keep the function as it is now, so they
  // must lose their leases: they then record nothing, and the next sessions deliver again.
  await knex.raw('LOCK TABLE webhook_endpoints IN EXCLUSIVE MODE');
  await knex.raw(
    'UPDATE webhook_endpoints SET lease_id = NULL, leased_until = NULL WHERE lease_id IS NOT NULL',
  );
  for (const [before, after] of changes.toReversed()) await replaceInFunction(knex, signature, after, before);
  await knex.raw(`UPDATE webhook_retries SET next_attempt_at = now() WHERE next_attempt_at = 'infinity'`);
}
