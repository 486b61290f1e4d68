import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'purge_retired_environment(integer, integer)';

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

/** A purge also deletes the log of attempts, and the retries before their endpoints. */
export const up = (knex: Knex): Promise<void> => replaceInFunction(knex, signature, place, deletion + place);

export const down = (knex: Knex): Promise<void> =>
  replaceInFunction(knex, signature, deletion + place, place);
