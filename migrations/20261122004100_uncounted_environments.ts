import type { Knex } from 'knex';

/**
 * Lists the environments with completions that were never counted. The changes of these
 * environments are only collected.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A process of this version that adds up or recounts waits until this migration ends, and sees the table then.
    -- A process of an older version does not know the table: stop it before this migration (docs/operations/deploy.md).
    UPDATE project_figures_turn SET taken_at = clock_timestamp() WHERE EXISTS (SELECT FROM environments);

    CREATE TABLE project_figures_uncounted (
      environment_id integer NOT NULL,
      CONSTRAINT project_figures_uncounted_pkey PRIMARY KEY (environment_id),
      CONSTRAINT project_figures_uncounted_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id)
    );
    COMMENT ON TABLE project_figures_uncounted IS
      'environments whose contributions are not in the figures yet; their completions are collected until then';
    INSERT INTO project_figures_uncounted (environment_id) SELECT environment_id FROM environments;
    -- The next migration counts everything again.
    UPDATE project_figures SET raised_cents = 0, supporters_count = 0;

    GRANT SELECT (environment_id) ON project_figures_uncounted TO contribution_service;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE project_figures_uncounted');
}
