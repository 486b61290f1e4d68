import type { Knex } from 'knex';

/** A rotated pair gets as much time as the old one got, also if that one then ends earlier. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE key_pairs ADD COLUMN issued_until timestamptz');
  await knex.raw('UPDATE key_pairs SET issued_until = expires_at WHERE expires_at IS NOT NULL');
  await knex.raw(
    `COMMENT ON COLUMN key_pairs.issued_until IS
       'the expiry that was chosen when the pair was issued; null: it never expires unless it is rotated'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE key_pairs DROP COLUMN issued_until');
}
