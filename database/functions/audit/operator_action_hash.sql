CREATE OR REPLACE FUNCTION operator_action_hash(
  previous_hash bytea, "position" bigint, action_id uuid, acted_at timestamptz, database_role text,
  claimed_operator text, command text, target text, arguments jsonb, result jsonb
) RETURNS bytea LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
-- Each field as <bytes in UTF-8>:<text>, or - for null, each followed by a comma.
SELECT sha256(convert_to(string_agg(
         COALESCE(octet_length(convert_to(field.text, 'UTF8')) || ':' || field.text, '-') || ',', '' ORDER BY field.number), 'UTF8'))
  FROM unnest(ARRAY[
         encode(previous_hash, 'hex'), "position"::text, action_id::text,
         to_char(acted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), database_role, claimed_operator, command,
         target, arguments::text, result::text
       ]) WITH ORDINALITY AS field (text, number)
$$;
