import type { Knex } from 'knex';

/**
 * A test environment can be retired by a reset. Its company then has another one with the same tag,
 * so tag and kind are unique only among environments that are not retired.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE environments ADD COLUMN retired_at timestamptz`);
  await knex.raw(`ALTER TABLE environments
    ADD CONSTRAINT environments_only_tests_retire CHECK (retired_at IS NULL OR kind = 'test')`);
  await knex.raw(`COMMENT ON COLUMN environments.retired_at IS
    'when a reset replaced this environment; its rows stay, but no request reaches them'`);
  await knex.raw('ALTER TABLE environments DROP CONSTRAINT environments_one_of_each_kind');
  await knex.raw('ALTER TABLE environments DROP CONSTRAINT environments_transaction_tag_key');
  await knex.raw(
    'CREATE UNIQUE INDEX environments_one_of_each_kind ON environments (company_id, kind) WHERE retired_at IS NULL',
  );
  await knex.raw(
    'CREATE UNIQUE INDEX environments_transaction_tag_key ON environments (transaction_tag) WHERE retired_at IS NULL',
  );
  await knex.raw(
    'CREATE INDEX environments_retired ON environments (company_id) WHERE retired_at IS NOT NULL',
  );
  await knex.raw('GRANT SELECT (retired_at) ON environments TO contribution_service');
}

export async function down(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: unknown[] }>(
    'SELECT environment_id FROM environments WHERE retired_at IS NOT NULL LIMIT 1',
  );
  if (rows.length > 0) throw new Error('Resets cannot be reverted, because contributions are never removed.');
  await knex.raw('DROP INDEX environments_transaction_tag_key');
  await knex.raw('DROP INDEX environments_one_of_each_kind');
  await knex.raw(`ALTER TABLE environments
    ADD CONSTRAINT environments_one_of_each_kind UNIQUE (company_id, kind)`);
  await knex.raw(`ALTER TABLE environments
    ADD CONSTRAINT environments_transaction_tag_key UNIQUE (transaction_tag)`);
  await knex.raw('ALTER TABLE environments DROP COLUMN retired_at');
}
