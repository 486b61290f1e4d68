import type { Knex } from 'knex';

/** An uploader can correct the direction of an account. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT UPDATE (direction) ON statement_accounts TO contribution_service');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('REVOKE UPDATE (direction) ON statement_accounts FROM contribution_service');
}
