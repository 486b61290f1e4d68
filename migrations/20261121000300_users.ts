import type { Knex } from 'knex';

/** The only table with personal data: the user's hash and first name. Other tables have user_id. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE users (
      environment_id integer NOT NULL,
      user_id bigint GENERATED ALWAYS AS IDENTITY,
      user_hash text COLLATE "C",
      first_name text,
      created_at timestamptz NOT NULL DEFAULT now(),
      forgotten_at timestamptz,
      CONSTRAINT users_pkey PRIMARY KEY (environment_id, user_id),
      CONSTRAINT users_user_hash_key UNIQUE (environment_id, user_hash),
      CONSTRAINT users_environment_fkey FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT users_user_hash_form CHECK (user_hash ~ '^[!-~]+$' AND octet_length(user_hash) <= 1024),
      CONSTRAINT users_first_name_length CHECK (char_length(first_name) BETWEEN 1 AND 100),
      CONSTRAINT users_emptied_when_forgotten CHECK (
        (forgotten_at IS NULL AND user_hash IS NOT NULL)
        OR (forgotten_at IS NOT NULL AND user_hash IS NULL AND first_name IS NULL)
      )
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE users');
}
