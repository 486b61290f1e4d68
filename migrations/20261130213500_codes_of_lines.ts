import type { Knex } from 'knex';

/** The code of each line, which a rule of an account can name. Nothing has written a line yet. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `ALTER TABLE statement_lines ADD COLUMN code text COLLATE "C",
       ADD CONSTRAINT statement_lines_code_length CHECK (char_length(code) <= 35)`,
  );
  await knex.raw(
    `CREATE INDEX statement_lines_by_code ON statement_lines (environment_id, account_id, code, day, bucket)
       WHERE code IS NOT NULL`,
  );
  await knex.raw(
    `COMMENT ON COLUMN statement_lines.code IS 'the code of the bank for the kind of line, such as CHRG'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE statement_lines DROP COLUMN code');
}
