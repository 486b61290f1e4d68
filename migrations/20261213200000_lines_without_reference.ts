import type { Knex } from 'knex';

/**
 * A line with the bank's reference keeps the class of the same line without it, so that a payment
 * that one statement states with the reference and another one without counts once.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE entry_sources ADD COLUMN plain_key bytea;
    COMMENT ON COLUMN entry_sources.plain_key IS 'class_key of the same line in a statement that omits the bank''s reference';
    CREATE INDEX entry_sources_by_plain ON entry_sources (environment_id, plain_key) WHERE plain_key IS NOT NULL;
    GRANT SELECT (plain_key), INSERT (plain_key) ON entry_sources TO contribution_service;
    -- For the command statements import.
    GRANT INSERT (plain_key) ON entry_sources TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE entry_sources DROP COLUMN plain_key');
}
