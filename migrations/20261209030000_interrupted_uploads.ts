import type { Knex } from 'knex';

/**
 * How an upload read its file, so that a repeat of an interrupted upload with another account or
 * mapping starts again. Files that were interrupted before start again, too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE statement_files ADD COLUMN reading bytea;
    COMMENT ON COLUMN statement_files.reading IS 'HMAC-SHA-256 under a pepper of the account, direction and mapping of the upload';
    GRANT SELECT (reading), INSERT (reading) ON statement_files TO contribution_service;
    GRANT INSERT (reading) ON statement_files TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE statement_files DROP COLUMN reading');
}
