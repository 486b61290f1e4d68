import type { Knex } from 'knex';

/** The time of each pending change, to detect a backlog. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Existing rows get the time of this statement and are not rewritten.
    ALTER TABLE project_figure_changes ADD COLUMN recorded_at timestamptz NOT NULL DEFAULT now();
    GRANT SELECT (recorded_at) ON project_figure_changes TO contribution_service;
    -- To lock the row only if no other process holds it.
    GRANT SELECT (only_row) ON project_figures_turn TO contribution_service;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE SELECT (only_row) ON project_figures_turn FROM contribution_service;
    ALTER TABLE project_figure_changes DROP COLUMN recorded_at;
  `);
}
