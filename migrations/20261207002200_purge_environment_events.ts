import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'purge_retired_environment(integer, integer)';

const place = `
  DELETE FROM events d`;

const deletion = `
  DELETE FROM environment_events d
   WHERE d.environment_id = _environment_id AND (event_id) IN (
     SELECT event_id FROM environment_events s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;
`;

/** A purge also deletes the events that concern no contribution. */
export const up = (knex: Knex): Promise<void> => replaceInFunction(knex, signature, place, deletion + place);

export const down = (knex: Knex): Promise<void> =>
  replaceInFunction(knex, signature, deletion + place, place);
