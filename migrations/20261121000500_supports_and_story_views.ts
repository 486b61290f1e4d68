import type { Knex } from 'knex';

/** The projects that a user supports, and the stories that a user has viewed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE supports (
      environment_id integer NOT NULL,
      user_id bigint NOT NULL,
      project_id integer NOT NULL,
      first_supported_at timestamptz NOT NULL,
      last_supported_at timestamptz NOT NULL,
      CONSTRAINT supports_pkey PRIMARY KEY (environment_id, user_id, project_id),
      CONSTRAINT supports_user_fkey FOREIGN KEY (environment_id, user_id) REFERENCES users (environment_id, user_id),
      CONSTRAINT supports_project_fkey FOREIGN KEY (project_id) REFERENCES projects (project_id),
      CONSTRAINT supports_last_not_before_first CHECK (last_supported_at >= first_supported_at)
    );

    CREATE TABLE story_views (
      environment_id integer NOT NULL,
      user_id bigint NOT NULL,
      project_id integer NOT NULL,
      viewed_story_numbers int4multirange NOT NULL,
      CONSTRAINT story_views_pkey PRIMARY KEY (environment_id, user_id, project_id),
      CONSTRAINT story_views_user_fkey FOREIGN KEY (environment_id, user_id) REFERENCES users (environment_id, user_id),
      CONSTRAINT story_views_project_fkey FOREIGN KEY (project_id) REFERENCES projects (project_id)
    );
    COMMENT ON COLUMN story_views.viewed_story_numbers IS
      'the story_number of every viewed story: one row per user and project, however many stories exist';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE story_views, supports');
}
