import type { Knex } from 'knex';

/** For the runbook on delayed figures, which operators run. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('GRANT SELECT ON project_figures_uncounted, project_figures_turn TO contribution_operator');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'REVOKE SELECT ON project_figures_uncounted, project_figures_turn FROM contribution_operator',
  );
}
