import type { Knex } from 'knex';

/** An operator can freeze a company for a while. Few are frozen, so the index is small. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE companies ADD COLUMN frozen_at timestamptz, ADD COLUMN frozen_reason text');
  await knex.raw(
    `ALTER TABLE companies
       ADD CONSTRAINT companies_frozen_has_reason CHECK ((frozen_at IS NULL) = (frozen_reason IS NULL)) NOT VALID`,
  );
  await knex.raw('ALTER TABLE companies VALIDATE CONSTRAINT companies_frozen_has_reason');
  await knex.raw('CREATE INDEX companies_frozen ON companies (company_id) WHERE frozen_at IS NOT NULL');
  await knex.raw(
    `COMMENT ON COLUMN companies.frozen_at IS
       'while set, the company''s key pairs get company_frozen, and its endpoints get no webhooks'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE companies DROP COLUMN frozen_at, DROP COLUMN frozen_reason');
}
