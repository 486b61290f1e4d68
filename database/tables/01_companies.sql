-- Companies, their two environments, and links to banks that complete for them.

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
  requests_per_second integer,
  completions_per_second integer,
  figures_scope integer NOT NULL GENERATED ALWAYS AS (CASE kind WHEN 'production' THEN 0 ELSE environment_id END) STORED,
  retired_at timestamptz,
  purged_at timestamptz,
  CONSTRAINT environments_pkey PRIMARY KEY (environment_id),
  CONSTRAINT environments_id_kind_key UNIQUE (environment_id, kind),
  CONSTRAINT environments_id_tag_key UNIQUE (environment_id, transaction_tag),
  CONSTRAINT environments_company_fkey FOREIGN KEY (company_id) REFERENCES companies (company_id),
  CONSTRAINT environments_kind_known CHECK (kind IN ('production', 'test')),
  CONSTRAINT environments_transaction_tag_form
    CHECK (transaction_tag ~ '^[A-HJKMNP-TV-Z][0-9A-HJKMNP-TV-Z]{3}$'),
  CONSTRAINT environments_requests_per_second_range CHECK (requests_per_second BETWEEN 1 AND 1000000),
  CONSTRAINT environments_completions_per_second_range CHECK (completions_per_second BETWEEN 1 AND 1000000),
  CONSTRAINT environments_only_tests_retire CHECK (retired_at IS NULL OR kind = 'test'),
  CONSTRAINT environments_purged_after_seven_days
    CHECK (purged_at IS NULL OR (retired_at IS NOT NULL AND purged_at >= retired_at + interval '7 days'))
);
CREATE UNIQUE INDEX environments_one_of_each_kind ON environments (company_id, kind) WHERE retired_at IS NULL;
CREATE UNIQUE INDEX environments_transaction_tag_key ON environments (transaction_tag)
  WHERE retired_at IS NULL;
CREATE INDEX environments_retired ON environments (company_id) WHERE retired_at IS NOT NULL;
COMMENT ON COLUMN environments.transaction_tag IS
  'the first four characters of every transaction_id of this environment';
COMMENT ON COLUMN environments.requests_per_second IS
  'rate limit of each set of scopes; null: the service''s setting';
COMMENT ON COLUMN environments.completions_per_second IS 'the same for completions';
COMMENT ON COLUMN environments.figures_scope IS
  'scope of a project''s figures in this environment: 0 for all of production, otherwise only its own contributions';
COMMENT ON COLUMN environments.retired_at IS
  'when a reset replaced this environment; its rows stay, but no request reaches them';
COMMENT ON COLUMN environments.purged_at IS
  'when an operator deleted the rows of this retired environment; the environment itself stays';

CREATE TABLE bank_links (
  environment_id integer NOT NULL,
  bank_environment_id integer NOT NULL,
  kind text NOT NULL,
  linked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  unlinked_at timestamptz,
  CONSTRAINT bank_links_pkey PRIMARY KEY (environment_id, bank_environment_id, linked_at),
  -- Both sides carry the link's own kind: test links with test, production with production.
  CONSTRAINT bank_links_environment_fkey
    FOREIGN KEY (environment_id, kind) REFERENCES environments (environment_id, kind),
  CONSTRAINT bank_links_bank_fkey
    FOREIGN KEY (bank_environment_id, kind) REFERENCES environments (environment_id, kind),
  CONSTRAINT bank_links_not_itself CHECK (environment_id <> bank_environment_id),
  CONSTRAINT bank_links_unlinked_after_linked CHECK (unlinked_at >= linked_at),
  CONSTRAINT bank_links_none_of_simulated_bank CHECK (environment_id <> -1)
);
CREATE UNIQUE INDEX bank_links_linked_once ON bank_links (environment_id, bank_environment_id)
  WHERE unlinked_at IS NULL;
CREATE INDEX bank_links_by_bank ON bank_links (bank_environment_id, environment_id);

-- The simulated bank of the sandbox, for tests only: identities start at 1, so no other environment has
-- the id -1. The foreign keys of bank_links reject a link with it in production. It has no key pair
-- and no bank, which two constraints ensure. A completion treats it like any other bank.
INSERT INTO companies (company_id, name) VALUES ('019ab000-0000-7000-8000-00000000ba4c', 'Simulated bank');
INSERT INTO environments (environment_id, company_id, kind, transaction_tag) OVERRIDING SYSTEM VALUE
VALUES (-1, '019ab000-0000-7000-8000-00000000ba4c', 'test', 'ZZZZ');
