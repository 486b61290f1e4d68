import type { Knex } from 'knex';

/** Which completions, lists and links the lines of an environment have been compared with. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE comparing_progress (
      environment_id integer NOT NULL,
      sequence bigint NOT NULL,
      list_revision integer NOT NULL,
      link_changes integer NOT NULL,
      claimed_until timestamptz,
      CONSTRAINT comparing_progress_pkey PRIMARY KEY (environment_id),
      CONSTRAINT comparing_progress_environment_fkey
        FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT comparing_progress_not_negative
        CHECK (sequence >= 0 AND list_revision >= 0 AND link_changes >= 0)
    )`);
  await knex.raw(
    `COMMENT ON TABLE comparing_progress IS
       'the last event, list and change of links after which waiting lines were queued'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE comparing_progress');
}
