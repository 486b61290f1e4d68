import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'settle_webhook_batch(integer, uuid, uuid, jsonb)';

const health = `
           probe_count = (_batch #>> '{health,probe_count}')::integer,`;

/** A process of the previous version states no notices. */
const healthWithNotices = `${health}
           notice_count = COALESCE((_batch #>> '{health,notice_count}')::smallint, w.notice_count),`;

const attempts = `
  IF jsonb_array_length(_batch -> 'attempts') > 0 THEN`;

const attemptsWithNotices = `
  IF jsonb_array_length(_batch -> 'exhausted_notices') > 0 THEN
    PERFORM append_environment_event(_environment_id, n.event_id, n.type, _now, '{}', n.data)
       FROM jsonb_to_recordset(_batch -> 'exhausted_notices') AS n (event_id uuid, type text, data jsonb);
  END IF;
  IF _is_unchanged AND jsonb_array_length(_batch -> 'health_notices') > 0 THEN
    PERFORM append_environment_event(_environment_id, n.event_id, n.type, _now, '{}', n.data)
       FROM jsonb_to_recordset(_batch -> 'health_notices') AS n (event_id uuid, type text, data jsonb);
  END IF;${attempts}`;

const claim = 'claim_webhook_endpoint(integer, uuid, uuid)';

/** The columns of a result cannot change without creating the function again. */
async function changeClaim(knex: Knex, change: (definition: string) => string): Promise<void> {
  const { rows } = await knex.raw<{ rows: [{ definition: string }] }>(
    'SELECT pg_get_functiondef(?::regprocedure) AS definition',
    [claim],
  );
  const changed = change(rows[0].definition);
  if (changed === rows[0].definition) throw new Error(`${claim} is not the function that this changes`);
  await knex.raw(`DROP FUNCTION ${claim}`);
  await knex.raw(changed.replaceAll('?', '\\?'));
  await knex.raw(`REVOKE ALL ON FUNCTION ${claim} FROM PUBLIC`);
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${claim} TO contribution_service`);
}

/** Events about an endpoint are appended together with what they tell. */
export async function up(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, health, healthWithNotices);
  await replaceInFunction(knex, signature, attempts, attemptsWithNotices);
  await changeClaim(knex, (definition) =>
    definition
      .replace('probe_count integer,', 'probe_count integer, notice_count smallint,')
      .replace('w.probe_count,', 'w.probe_count, w.notice_count,'),
  );
  await knex.raw('GRANT SELECT (notice_count) ON webhook_endpoints TO contribution_service');
}

export async function down(knex: Knex): Promise<void> {
  await changeClaim(knex, (definition) =>
    definition
      .replace('probe_count integer, notice_count smallint,', 'probe_count integer,')
      .replace('w.probe_count, w.notice_count,', 'w.probe_count,'),
  );
  await knex.raw('REVOKE SELECT (notice_count) ON webhook_endpoints FROM contribution_service');
  await replaceInFunction(knex, signature, attemptsWithNotices, attempts);
  await replaceInFunction(knex, signature, healthWithNotices, health);
}
