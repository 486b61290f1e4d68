import type { Knex } from 'knex';

/** The uploader's name of an account, so that people can recognize an account without a number. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE statement_accounts ADD COLUMN name text;
    COMMENT ON COLUMN statement_accounts.name IS 'the name that the uploader chose for an account whose files state no number';
    GRANT SELECT (name), INSERT (name) ON statement_accounts TO contribution_service;
    GRANT INSERT (name) ON statement_accounts TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE statement_accounts DROP COLUMN name');
}
