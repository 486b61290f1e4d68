import type { Knex } from 'knex';

/** Reads all events without blocking writers. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE events VALIDATE CONSTRAINT events_type_known');
}

export async function down(): Promise<void> {
  // The migration before this one replaces the constraint.
}
