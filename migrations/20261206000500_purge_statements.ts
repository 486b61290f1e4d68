import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'purge_retired_environment(integer, integer)';

/** The tables and their primary keys. Tables that refer to others first. */
const parts: readonly (readonly [table: string, key: string])[] = [
  ['reconciliation_decisions', 'decision_id'],
  ['settlement_lines', 'reference, transaction_id'],
  ['allocations', 'entry_id, transaction_id'],
  ['statement_money', 'transaction_id'],
  ['statement_entries', 'entry_id'],
  ['entry_sources', 'file_id, place'],
  ['statements', 'file_id, number'],
  ['statement_files', 'file_id'],
  ['statement_accounts', 'account_id'],
];

const deletions = parts
  .map(
    ([table, key]) => `
  DELETE FROM ${table} d
   WHERE d.environment_id = _environment_id AND (${key}) IN (
     SELECT ${key} FROM ${table} s WHERE s.environment_id = _environment_id LIMIT _most);
  GET DIAGNOSTICS _count = ROW_COUNT;
  IF _count > 0 THEN
    RETURN _count;
  END IF;
`,
  )
  .join('');

const first = '  DELETE FROM event_queue d\n';

/** The purge of a retired environment also deletes its uploaded statements. */
export async function up(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, first, deletions + first);
}

export async function down(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, deletions + first, first);
}
