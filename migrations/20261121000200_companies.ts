import type { Knex } from 'knex';

/** Companies, their two environments, key pairs, and links to banks that complete for them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE companies (
      company_id uuid NOT NULL,
      name text NOT NULL,
      suspended_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT companies_pkey PRIMARY KEY (company_id),
      CONSTRAINT companies_name_key UNIQUE (name),
      CONSTRAINT companies_name_length CHECK (char_length(name) BETWEEN 1 AND 200)
    );

    CREATE TABLE environments (
      environment_id integer GENERATED ALWAYS AS IDENTITY,
      company_id uuid NOT NULL,
      kind text NOT NULL,
      transaction_tag text COLLATE "C" NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT environments_pkey PRIMARY KEY (environment_id),
      CONSTRAINT environments_company_fkey FOREIGN KEY (company_id) REFERENCES companies (company_id),
      CONSTRAINT environments_one_of_each_kind UNIQUE (company_id, kind),
      CONSTRAINT environments_transaction_tag_key UNIQUE (transaction_tag),
      CONSTRAINT environments_id_kind_key UNIQUE (environment_id, kind),
      CONSTRAINT environments_id_tag_key UNIQUE (environment_id, transaction_tag),
      CONSTRAINT environments_kind_known CHECK (kind IN ('production', 'test')),
      CONSTRAINT environments_transaction_tag_form
        CHECK (transaction_tag ~ '^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{3}$')
    );
    COMMENT ON COLUMN environments.transaction_tag IS 'the first four characters of every transaction_id of this environment';

    CREATE TABLE key_pairs (
      api_key text COLLATE "C" NOT NULL,
      environment_id integer NOT NULL,
      secret_hmac bytea NOT NULL,
      pepper_version smallint NOT NULL,
      scopes text[] NOT NULL,
      slot smallint NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz,
      CONSTRAINT key_pairs_pkey PRIMARY KEY (api_key),
      CONSTRAINT key_pairs_environment_fkey FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
      CONSTRAINT key_pairs_secret_hmac_length CHECK (octet_length(secret_hmac) = 32),
      CONSTRAINT key_pairs_pepper_version_positive CHECK (pepper_version > 0),
      CONSTRAINT key_pairs_slot_known CHECK (slot IN (1, 2)),
      -- One spelling for each set of scopes, so that the unique index below compares sets.
      CONSTRAINT key_pairs_scopes_canonical CHECK (
        cardinality(scopes) > 0 AND scopes = array_remove(ARRAY[
          CASE WHEN 'projects:read' = ANY (scopes) THEN 'projects:read' END,
          CASE WHEN 'contributions:create' = ANY (scopes) THEN 'contributions:create' END,
          CASE WHEN 'contributions:read' = ANY (scopes) THEN 'contributions:read' END,
          CASE WHEN 'contributions:complete' = ANY (scopes) THEN 'contributions:complete' END
        ], NULL)
      )
    );
    COMMENT ON COLUMN key_pairs.secret_hmac IS 'HMAC-SHA-256 of the secret under the pepper of that version; the secret itself is never stored';
    COMMENT ON COLUMN key_pairs.slot IS 'two slots for each set of scopes: at most two live pairs, enough for a rotation';
    CREATE UNIQUE INDEX key_pairs_two_live_per_scope_set ON key_pairs (environment_id, scopes, slot) WHERE revoked_at IS NULL;

    CREATE TABLE bank_links (
      environment_id integer NOT NULL,
      bank_environment_id integer NOT NULL,
      kind text NOT NULL,
      linked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      unlinked_at timestamptz,
      CONSTRAINT bank_links_pkey PRIMARY KEY (environment_id, bank_environment_id, linked_at),
      CONSTRAINT bank_links_not_itself CHECK (environment_id <> bank_environment_id),
      CONSTRAINT bank_links_unlinked_after_linked CHECK (unlinked_at >= linked_at),
      -- Both sides carry the link's own kind: test links with test, production with production.
      CONSTRAINT bank_links_environment_fkey
        FOREIGN KEY (environment_id, kind) REFERENCES environments (environment_id, kind),
      CONSTRAINT bank_links_bank_fkey
        FOREIGN KEY (bank_environment_id, kind) REFERENCES environments (environment_id, kind)
    );
    CREATE UNIQUE INDEX bank_links_linked_once ON bank_links (environment_id, bank_environment_id) WHERE unlinked_at IS NULL;
    CREATE INDEX bank_links_by_bank ON bank_links (bank_environment_id, environment_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE bank_links, key_pairs, environments, companies');
}
