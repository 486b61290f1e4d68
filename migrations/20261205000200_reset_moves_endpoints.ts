import type { Knex } from 'knex';

const moved = `endpoint_id, environment_kind, slot, url, types, description, created_at, updated_at, verified_at,
       disabled_at, disabled_reason, secret_version, key_version, previous_key_version, previous_secret_until`;

/** An endpoint keeps its id and so its secrets. Its new feed begins empty. */
const moveEndpoints = `
    INSERT INTO webhook_endpoints
      (environment_id, ${moved}, position, failure_count, probe_count, notice_count)
    SELECT new_environment_id, ${moved}, 0, 0, 0, 0
      FROM webhook_endpoints w
     WHERE w.environment_id = _environment_id;
    DELETE FROM webhook_endpoints w WHERE w.environment_id = _environment_id;

`;

const place = `    -- Without settings, nothing is planned any more`;

/** Changes only this part of the function, and keeps the rest as it is in the database. */
async function changeReset(knex: Knex, change: (definition: string) => string): Promise<void> {
  const { rows } = await knex.raw<{ rows: { definition: string }[] }>(
    `SELECT pg_get_functiondef('reset_sandbox(integer, integer)'::regprocedure) AS definition`,
  );
  const definition = (rows[0]?.definition ?? '').replace(moveEndpoints, '');
  if (definition.split(place).length !== 2) throw new Error('The function reset_sandbox is not as expected.');
  await knex.raw(change(definition).replaceAll('?', '\\?'));
}

/** A reset moves the endpoints of a test environment along. */
export async function up(knex: Knex): Promise<void> {
  await changeReset(knex, (definition) => definition.replace(place, moveEndpoints + place));
}

export async function down(knex: Knex): Promise<void> {
  await changeReset(knex, (definition) => definition);
}
