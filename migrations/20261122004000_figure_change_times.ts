import type { Knex } from 'knex';

/** Since when a change waits to be added up, so that a backlog is noticed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Rows that are there get the time of this statement, without being rewritten.
    ALTER TABLE project_figure_changes ADD COLUMN recorded_at timestamptz NOT NULL DEFAULT now();
    GRANT SELECT (recorded_at) ON project_figure_changes TO contribution_service;
    -- To take the turn only if nobody else is taking it.
    GRANT SELECT (only_row) ON project_figures_turn TO contribution_service;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE SELECT (only_row) ON project_figures_turn FROM contribution_service;
    ALTER TABLE project_figure_changes DROP COLUMN recorded_at;
  `);
}
