import type { Knex } from 'knex';

/** A link that was made by mistake. No rule reads it, also for the time before it was voided. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `ALTER TABLE bank_links
       ADD COLUMN voided_at timestamptz,
       ADD CONSTRAINT bank_links_voided_after_unlinked
         CHECK (voided_at IS NULL OR (unlinked_at IS NOT NULL AND voided_at >= unlinked_at)),
       ADD CONSTRAINT bank_links_none_voided_of_simulated_bank
         CHECK (voided_at IS NULL OR bank_environment_id > 0)`,
  );
  await knex.raw(
    `COMMENT ON COLUMN bank_links.voided_at IS
       'when an operator said that the link was a mistake; rules about links then ignore it'`,
  );
}

/** Earlier releases know only links that ended. One that ended when it began shows nothing. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('UPDATE bank_links SET unlinked_at = linked_at WHERE voided_at IS NOT NULL');
  await knex.raw('ALTER TABLE bank_links DROP COLUMN voided_at');
}
