import type { Knex } from 'knex';

/**
 * The raised amount and the number of supporters of each project. A completion only appends its
 * change, so completions do not wait for each other. At most once a minute, a process adds the
 * changes to the figures, so reads add up nothing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The table is small (two rows per company). The lock lasts until the migration ends, so it reads no other table:
    -- a later migration counts earlier completions.
    ALTER TABLE environments
      ADD COLUMN figures_scope integer NOT NULL
        GENERATED ALWAYS AS (CASE kind WHEN 'production' THEN 0 ELSE environment_id END) STORED;
    COMMENT ON COLUMN environments.figures_scope IS
      'scope of a project''s figures in this environment: 0 for all of production, otherwise only its own contributions';

    -- No foreign key to the project or the environment: all completions would lock the same row.
    CREATE TABLE project_figure_changes (
      environment_id integer NOT NULL,
      change_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
      project_id integer NOT NULL,
      amount_cents bigint NOT NULL,
      supporters smallint NOT NULL,
      CONSTRAINT project_figure_changes_pkey PRIMARY KEY (environment_id, change_id)
    );
    COMMENT ON TABLE project_figure_changes IS 'changes that are not in the figures yet; adding them deletes the rows';

    CREATE TABLE project_figures (
      figures_scope integer NOT NULL,
      project_id integer NOT NULL,
      raised_cents bigint NOT NULL,
      supporters_count bigint NOT NULL,
      CONSTRAINT project_figures_pkey PRIMARY KEY (figures_scope, project_id),
      CONSTRAINT project_figures_project_fkey FOREIGN KEY (project_id) REFERENCES projects (project_id)
    );

    CREATE TABLE project_figures_turn (
      only_row boolean NOT NULL DEFAULT true,
      taken_at timestamptz NOT NULL,
      CONSTRAINT project_figures_turn_pkey PRIMARY KEY (only_row),
      CONSTRAINT project_figures_turn_one_row CHECK (only_row)
    );
    COMMENT ON TABLE project_figures_turn IS 'when the figures were last updated: the process that advances it does the next update';

    INSERT INTO project_figures_turn (taken_at) VALUES ('-infinity');

    GRANT SELECT (figures_scope) ON environments TO contribution_service;
    -- Distinguishes a new support from an existing one.
    GRANT SELECT (xmax) ON supports TO contribution_service;
    GRANT SELECT (environment_id, change_id, project_id, amount_cents, supporters),
          INSERT (environment_id, project_id, amount_cents, supporters)
      ON project_figure_changes TO contribution_service;
    GRANT DELETE ON project_figure_changes TO contribution_service;
    GRANT SELECT (figures_scope, project_id, raised_cents, supporters_count),
          INSERT (figures_scope, project_id, raised_cents, supporters_count),
          UPDATE (raised_cents, supporters_count)
      ON project_figures TO contribution_service;
    GRANT SELECT (taken_at), UPDATE (taken_at) ON project_figures_turn TO contribution_service;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE SELECT (xmax) ON supports FROM contribution_service;
    DROP TABLE project_figures_turn, project_figures, project_figure_changes;
    ALTER TABLE environments DROP COLUMN figures_scope
  `);
}
