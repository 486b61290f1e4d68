CREATE OR REPLACE FUNCTION key_pair_is_live(_revoked_at timestamptz, _expires_at timestamptz)
RETURNS boolean LANGUAGE sql VOLATILE AS $$
-- Whether a key pair is neither revoked nor expired now, by the clock of the server.
SELECT _revoked_at IS NULL AND (_expires_at IS NULL OR _expires_at > clock_timestamp())
$$;
