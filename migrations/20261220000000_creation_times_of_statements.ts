import type { Knex } from 'knex';

/**
 * A notification that was made after the statement of the day before is not about the payments of
 * this statement. This needs the times at which the bank made both.
 *
 * The rules of matching get version 2: see `matchingRules`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE statements ADD COLUMN made_at text;
    COMMENT ON COLUMN statements.made_at IS
      'when the bank made it: in UTC with Z, or in an unknown zone without Z; null if it is not stated';
    GRANT SELECT (made_at), INSERT (made_at) ON statements TO contribution_service;
    -- For the command statements import.
    GRANT INSERT (made_at) ON statements TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE matching_progress SET rules = 1 WHERE rules > 1;
    UPDATE statement_files SET rules = 0 WHERE rules > 1;
    ALTER TABLE statements DROP COLUMN made_at`);
}
