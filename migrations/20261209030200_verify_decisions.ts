import type { Knex } from 'knex';

/** For `verify`, which finds decisions and lists that are missing. */
const grants = [
  'SELECT (environment_id, number) ON reconciliation_decisions',
  'SELECT (environment_id, reference, revision) ON settlement_lists',
  'SELECT (environment_id, reference, revision) ON settlement_lines',
  'SELECT (seen_lists, seen_decisions) ON matching_progress',
];

export async function up(knex: Knex): Promise<void> {
  for (const grant of grants) await knex.raw(`GRANT ${grant} TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  for (const grant of grants) await knex.raw(`REVOKE ${grant} FROM contribution_operator`);
}
