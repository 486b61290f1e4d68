import type { Knex } from 'knex';

const constraints = [
  ['transactions', 'transactions_returned_within_amount'],
  ['transactions', 'transactions_returned_only_when_completed'],
  ['supports', 'supports_ended_not_before_first'],
] as const;

/** Reads all rows without blocking writers. */
export async function up(knex: Knex): Promise<void> {
  for (const [table, name] of constraints) {
    await knex.raw(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`);
  }
}

export async function down(): Promise<void> {
  // The migration before this one drops the constraints.
}
