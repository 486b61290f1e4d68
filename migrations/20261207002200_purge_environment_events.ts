import type { Knex } from 'knex';

import { deletionOf } from '../src/db/migrations/purge-deletion';
import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'purge_retired_environment(integer, integer)';

const place = `
  DELETE FROM events d`;

const deletion = deletionOf('environment_events', 'event_id');

/** A purge also deletes the events that concern no contribution. */
export const up = (knex: Knex): Promise<void> => replaceInFunction(knex, signature, place, deletion + place);

export const down = (knex: Knex): Promise<void> =>
  replaceInFunction(knex, signature, deletion + place, place);
