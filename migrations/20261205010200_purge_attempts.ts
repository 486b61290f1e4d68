import type { Knex } from 'knex';

const place = `
  DELETE FROM webhook_endpoints d`;

const deletion = `
  DELETE FROM webhook_attempts d
   WHERE d.environment_id = _environment_id AND (attempt_id) IN (
     SELECT attempt_id FROM webhook_attempts s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;
  DELETE FROM webhook_retries d
   WHERE d.environment_id = _environment_id AND (endpoint_id, event_id) IN (
     SELECT endpoint_id, event_id FROM webhook_retries s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;
`;

/** Changes only this part of the function, and keeps the rest as it is in the database. */
async function changePurge(knex: Knex, from: string, to: string): Promise<void> {
  const { rows } = await knex.raw<{ rows: { definition: string }[] }>(
    `SELECT pg_get_functiondef('purge_retired_environment(integer, integer)'::regprocedure) AS definition`,
  );
  const definition = rows[0]?.definition ?? '';
  if (definition.split(from).length !== 2) throw new Error('The function is not as expected.');
  await knex.raw(definition.replace(from, () => to).replaceAll('?', '\\?'));
}

/** A purge also deletes the log of attempts, and the retries before their endpoints. */
export const up = (knex: Knex): Promise<void> => changePurge(knex, place, deletion + place);

export const down = (knex: Knex): Promise<void> => changePurge(knex, deletion + place, place);
