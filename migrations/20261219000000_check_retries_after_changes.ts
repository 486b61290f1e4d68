import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const check = `
CREATE FUNCTION check_webhook_retries(_environment_id integer, _endpoint_id uuid)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
-- Applies changed settings of an endpoint to its next 1,000 retries. Ends those of types that it no
-- longer receives. Makes failed ones due if the failures were forgotten. The caller has locked the
-- endpoint, so a batch that was recorded before is visible.
DECLARE
  _most CONSTANT integer := 1000;
  _now timestamptz := clock_timestamp();
  _types text[];
  _after uuid;
  _frees boolean;
  _retry record;
  _last uuid;
  _count integer := 0;
  _ended text[];
BEGIN
  SELECT w.types, w.retries_checked_to, w.frees_retries FROM webhook_endpoints w
   WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id
    INTO _types, _after, _frees;
  IF _after IS NULL THEN
    RETURN;
  END IF;
  FOR _retry IN
    SELECT r.event_id, r.transaction_id, r.outage_attempts,
           (SELECT e.type FROM feed_events e
             WHERE e.environment_id = _environment_id AND e.event_id = r.event_id) AS type
      FROM webhook_retries r
     WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id > _after
     ORDER BY r.event_id
     LIMIT _most
  LOOP
    _count := _count + 1;
    _last := _retry.event_id;
    IF cardinality(_types) > 0 AND _retry.type <> ALL (_types) THEN
      DELETE FROM webhook_retries r
       WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _last;
      _ended := _ended || _retry.transaction_id;
    ELSIF _frees AND _retry.outage_attempts > 0 THEN
      -- As after an outage, failures since the last success no longer count toward the last retry.
      UPDATE webhook_retries r
         SET attempts = r.attempts - r.outage_attempts, outage_attempts = 0, next_attempt_at = _now
       WHERE r.environment_id = _environment_id AND r.endpoint_id = _endpoint_id AND r.event_id = _last;
    END IF;
  END LOOP;
  -- The first retry of a contribution is due. Others wait for the end of the one before them.
  IF _ended IS NOT NULL THEN
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
  UPDATE webhook_endpoints w
     SET retries_checked_to = CASE WHEN _count = _most THEN _last END,
         frees_retries = CASE WHEN _count = _most THEN w.frees_retries END
   WHERE w.environment_id = _environment_id AND w.endpoint_id = _endpoint_id;
END $$`;

const signature = 'check_webhook_retries(integer, uuid)';

/** The functions that call it, and the part that each of them gets. */
const calls: readonly (readonly [signature: string, before: string, after: string])[] = [
  [
    'claim_webhook_endpoint(integer, uuid, uuid)',
    `  RETURN QUERY
`,
    `  PERFORM check_webhook_retries(_environment_id, _endpoint_id);
  RETURN QUERY
`,
  ],
  [
    'settle_webhook_batch(integer, uuid, uuid, jsonb)',
    `  RETURN _continues;
`,
    `  IF _continues THEN
    PERFORM check_webhook_retries(_environment_id, _endpoint_id);
  END IF;
  RETURN _continues;
`,
  ],
];

/**
 * A change of settings marks the endpoint, and each session first checks some of its retries. The
 * change itself thus costs one row, and misses no retry that is recorded at the same time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhook_endpoints ADD COLUMN retries_checked_to uuid, ADD COLUMN frees_retries boolean;
    COMMENT ON COLUMN webhook_endpoints.retries_checked_to IS 'set after a change of settings, until it was applied to all retries: it was applied to those of events up to this one';
    COMMENT ON COLUMN webhook_endpoints.frees_retries IS 'whether the change also makes failed retries due';
    GRANT SELECT (retries_checked_to, frees_retries) ON webhook_endpoints TO contribution_service;
    GRANT UPDATE (retries_checked_to, frees_retries) ON webhook_endpoints
       TO contribution_service, contribution_operator`);
  await knex.raw(check);
  await knex.raw(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${signature} TO contribution_service`);
  for (const [name, before, after] of calls) await replaceInFunction(knex, name, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [name, before, after] of calls.toReversed()) await replaceInFunction(knex, name, after, before);
  await knex.raw(`DROP FUNCTION ${signature}`);
  await knex.raw('ALTER TABLE webhook_endpoints DROP COLUMN retries_checked_to, DROP COLUMN frees_retries');
}
