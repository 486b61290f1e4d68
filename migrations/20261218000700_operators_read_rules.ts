import type { Knex } from 'knex';

/** For `verify` and `doctor`, which compare the rules of statements. */
const grant = 'SELECT (rules) ON matching_progress';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`GRANT ${grant} TO contribution_operator`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`REVOKE ${grant} FROM contribution_operator`);
}
