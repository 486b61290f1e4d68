import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'purge_retired_environment(integer, integer)';

const place = `
  DELETE FROM event_queue d`;

const deletion = `
  DELETE FROM webhook_endpoints d
   WHERE d.environment_id = _environment_id AND (endpoint_id) IN (
     SELECT endpoint_id FROM webhook_endpoints s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;
`;

/** A purge also deletes an endpoint that a request added while a reset retired its environment. */
export const up = (knex: Knex): Promise<void> => replaceInFunction(knex, signature, place, deletion + place);

export const down = (knex: Knex): Promise<void> =>
  replaceInFunction(knex, signature, deletion + place, place);
