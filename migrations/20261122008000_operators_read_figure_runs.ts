import type { Knex } from 'knex';

/** What the runbook on figures that are behind reads, as an operator. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT SELECT ON project_figures_uncounted, project_figures_turn TO contribution_operator');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'REVOKE SELECT ON project_figures_uncounted, project_figures_turn FROM contribution_operator',
  );
}
