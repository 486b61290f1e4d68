import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'free_next_webhook_retries(integer, uuid, text[])';

const create = `
CREATE FUNCTION free_next_webhook_retries(_environment_id integer, _endpoint_id uuid, _subjects text[])
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Makes the first retry of each subject due, if it waited for an earlier one. Others wait for the end
-- of the one before them. Looks up each one: in one statement for all of them, a generic plan reads
-- all retries of the endpoint.
DECLARE
  _now timestamptz := clock_timestamp();
  _event_id uuid;
BEGIN
  FOR _event_id IN
    SELECT next.event_id
      FROM unnest(_subjects) AS s (transaction_id)
     CROSS JOIN LATERAL (
       SELECT r.event_id, r.next_attempt_at FROM webhook_retries r
        WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id
          AND r.transaction_id = s.transaction_id
        ORDER BY r.sequence LIMIT 1
     ) AS next
     WHERE NOT isfinite(next.next_attempt_at)
  LOOP
    UPDATE webhook_retries r SET next_attempt_at = _now
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _event_id;
  END LOOP;
END $$`;

const loop = `  IF _ended IS NOT NULL THEN
    FOR _retry IN
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
  END IF;
`;
const comment = `  -- The first retry of a contribution is due. Others wait for the end of the one before them.
`;
const call = `  IF _ended IS NOT NULL THEN
    PERFORM free_next_webhook_retries(_environment_id, _endpoint_id, _ended);
  END IF;
`;
const withBlocked = `  _ended := _ended || _blocked;
`;

/** The functions that had the loop, and the part that each of them gets. */
const changes: readonly (readonly [signature: string, before: string, after: string])[] = [
  ['settle_webhook_batch(integer, uuid, uuid, jsonb)', comment + withBlocked + loop, withBlocked + call],
  ['check_webhook_retries(integer, uuid)', comment + loop, call],
];

export async function up(knex: Knex): Promise<void> {
  await knex.raw(create);
  await knex.raw(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${signature} TO contribution_service`);
  for (const [name, before, after] of changes) await replaceInFunction(knex, name, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [name, before, after] of changes) await replaceInFunction(knex, name, after, before);
  await knex.raw(`DROP FUNCTION ${signature}`);
}
