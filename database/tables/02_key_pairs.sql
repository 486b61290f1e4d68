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
  CONSTRAINT key_pairs_none_of_simulated_bank CHECK (environment_id <> -1),
  -- One spelling for each set of scopes, so that the unique index below compares sets.
  CONSTRAINT key_pairs_scopes_canonical CHECK (
    cardinality(scopes) > 0 AND scopes = array_remove(ARRAY[
      CASE WHEN 'projects:read' = ANY (scopes) THEN 'projects:read' END,
      CASE WHEN 'contributions:create' = ANY (scopes) THEN 'contributions:create' END,
      CASE WHEN 'contributions:read' = ANY (scopes) THEN 'contributions:read' END,
      CASE WHEN 'contributions:complete' = ANY (scopes) THEN 'contributions:complete' END,
      CASE WHEN 'contributions:return' = ANY (scopes) THEN 'contributions:return' END,
      CASE WHEN 'events:read' = ANY (scopes) THEN 'events:read' END,
      CASE WHEN 'webhooks:manage' = ANY (scopes) THEN 'webhooks:manage' END,
      CASE WHEN 'statements:read' = ANY (scopes) THEN 'statements:read' END,
      CASE WHEN 'statements:write' = ANY (scopes) THEN 'statements:write' END,
      CASE WHEN 'reconciliation:resolve' = ANY (scopes) THEN 'reconciliation:resolve' END,
      CASE WHEN 'sandbox' = ANY (scopes) THEN 'sandbox' END
    ], NULL)
  )
);
CREATE UNIQUE INDEX key_pairs_two_live_per_scope_set ON key_pairs (environment_id, scopes, slot)
  WHERE revoked_at IS NULL;
COMMENT ON COLUMN key_pairs.secret_hmac IS
  'HMAC-SHA-256 of the secret under the pepper of that version; the secret itself is never stored';
COMMENT ON COLUMN key_pairs.slot IS
  'two slots for each set of scopes: at most two live pairs, enough for a rotation';
