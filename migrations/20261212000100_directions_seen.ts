import type { Knex } from 'knex';

import { replaceInFunction } from '../src/db/migrations/replace-in-function';

const signature = 'put_statement_entries(integer, bytea[], text, jsonb, jsonb)';

const before = `  -- What the caller has seen of completions, lists and links. It does not change before this commits.
  SELECT concat_ws(' ', p.seen_sequence, p.seen_lists, p.seen_links) FROM matching_progress p
`;
const after = `  -- What the caller has seen of completions, lists, links and directions. It does not change before
  -- this commits.
  SELECT concat_ws(' ', p.seen_sequence, p.seen_lists, p.seen_links, p.seen_directions) FROM matching_progress p
`;

/**
 * A process that read an account's earlier direction no longer overwrites the results of the later
 * one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE matching_progress ADD COLUMN seen_directions integer NOT NULL DEFAULT 0;
    COMMENT ON COLUMN matching_progress.seen_directions IS 'the number of changes of an account''s direction';
    GRANT SELECT (seen_directions), UPDATE (seen_directions) ON matching_progress TO contribution_service`);
  await replaceInFunction(knex, signature, before, after);
}

export async function down(knex: Knex): Promise<void> {
  await replaceInFunction(knex, signature, after, before);
  await knex.raw('ALTER TABLE matching_progress DROP COLUMN seen_directions');
}
