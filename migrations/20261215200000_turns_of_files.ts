import type { Knex } from 'knex';

/**
 * Environments take turns when their files are matched, so the many files of one environment do not
 * delay those of another.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE matching_progress ADD COLUMN files_turn_at timestamptz;
    COMMENT ON COLUMN matching_progress.files_turn_at IS 'the last turn of the environment''s files; the environment with the oldest one is next';
    GRANT SELECT (files_turn_at), UPDATE (files_turn_at) ON matching_progress TO contribution_service`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE matching_progress DROP COLUMN files_turn_at');
}
