-- Each time that a file of functions/, or privileges.sql, was applied. A process is ready if the text of
-- each of its files was ever applied, so the releases before and after an upgrade are both ready.
CREATE TABLE schema_functions (
  number bigint GENERATED ALWAYS AS IDENTITY,
  file text NOT NULL,
  sha256 bytea NOT NULL,
  definitions jsonb NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT schema_functions_pkey PRIMARY KEY (number),
  CONSTRAINT schema_functions_sha256_length CHECK (octet_length(sha256) = 32)
);
COMMENT ON COLUMN schema_functions.file IS 'path below database/, such as privileges.sql';
COMMENT ON COLUMN schema_functions.sha256 IS 'digest of the file';
COMMENT ON COLUMN schema_functions.definitions IS
  'digests of the functions, triggers and privileges as the catalog has them, to find manual changes';
