import type { Knex } from 'knex';

/** Which versions of days replaced others, and by which rules days were compared. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE account_days ADD COLUMN rules integer NOT NULL DEFAULT 0');
  await knex.raw('CREATE INDEX account_days_by_rules ON account_days (rules)');
  await knex.raw(
    `COMMENT ON COLUMN account_days.rules IS
       'the version of the rules by which its version was chosen; 0 if none was'`,
  );
  await knex.raw(`
    CREATE TABLE version_changes (
      environment_id integer NOT NULL,
      account_id uuid NOT NULL,
      day date NOT NULL,
      generation integer NOT NULL,
      version_before text COLLATE "C" NOT NULL,
      version_after text COLLATE "C",
      lines_gone integer NOT NULL,
      lines_added integer NOT NULL,
      changed_at timestamptz NOT NULL DEFAULT statement_timestamp(),
      CONSTRAINT version_changes_pkey PRIMARY KEY (environment_id, account_id, day, generation),
      CONSTRAINT version_changes_day_fkey
        FOREIGN KEY (environment_id, account_id, day) REFERENCES account_days (environment_id, account_id, day),
      CONSTRAINT version_changes_lines_differ CHECK (lines_gone >= 0 AND lines_added >= 0 AND lines_gone + lines_added > 0)
    )`);
  await knex.raw(
    `COMMENT ON TABLE version_changes IS
       'notices: a statement that counted for a day does not count any more, and lines differ'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE version_changes');
  await knex.raw('ALTER TABLE account_days DROP COLUMN rules');
}
