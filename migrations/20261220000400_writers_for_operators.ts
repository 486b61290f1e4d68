import type { Knex } from 'knex';

const signatures = 'contribution_writers(), wait_for_contribution_writers()';

/**
 * Only operators link banks. With a grant of their own, these functions also work on a Citus node
 * that grants nothing to PUBLIC.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${signatures} TO contribution_operator`);
  await knex.raw(`REVOKE ALL ON FUNCTION ${signatures} FROM PUBLIC`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`GRANT EXECUTE ON FUNCTION ${signatures} TO PUBLIC`);
  await knex.raw(`REVOKE ALL ON FUNCTION ${signatures} FROM contribution_operator`);
}
