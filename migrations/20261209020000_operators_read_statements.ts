import type { Knex } from 'knex';

/** For `reconciliation list` and `summary`, and `statements list` and `show`. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT SELECT ON statements, statement_accounts TO contribution_operator');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('REVOKE SELECT ON statements, statement_accounts FROM contribution_operator');
}
