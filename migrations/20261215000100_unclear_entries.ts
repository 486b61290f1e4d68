import type { Knex } from 'knex';

/** A position shows how many of these entries may be its missing money. Few entries are unclear. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX statement_entries_unclear ON statement_entries (environment_id, booking_date)
      WHERE outcome IN ('unreadable', 'sums_differ') AND NOT is_decided`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX statement_entries_unclear');
}
