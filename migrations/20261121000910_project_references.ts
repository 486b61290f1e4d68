import type { Knex } from 'knex';

/**
 * Every project gets a reference, including projects inserted by hand. Files identify projects by
 * it, so an export without references could not be imported. The service does not read it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE projects ALTER COLUMN external_reference SET DEFAULT gen_random_uuid()::text;
    UPDATE projects SET external_reference = gen_random_uuid()::text WHERE external_reference IS NULL;
    -- Reads the whole table, which is small.
    ALTER TABLE projects ALTER COLUMN external_reference SET NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'ALTER TABLE projects ALTER COLUMN external_reference DROP NOT NULL, ALTER COLUMN external_reference DROP DEFAULT',
  );
}
