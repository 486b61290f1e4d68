import type { Knex } from 'knex';

import { deletionOf } from '../src/db/migrations/purge-deletion';
import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'purge_retired_environment(integer, integer)';

const linesBefore = deletionOf('settlement_lines', 'reference, transaction_id');
const after =
  deletionOf('settlement_lines', 'reference, revision, transaction_id') +
  deletionOf('settlement_lists', 'reference, revision') +
  deletionOf('entry_references', 'reference, class_key') +
  deletionOf('matching_progress', 'environment_id');

/** The purge of a retired environment also deletes its lists, and what it compared last. */
export const up = (knex: Knex): Promise<void> => replaceInFunction(knex, signature, linesBefore, after);

export const down = (knex: Knex): Promise<void> => replaceInFunction(knex, signature, after, linesBefore);
