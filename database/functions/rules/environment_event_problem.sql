CREATE OR REPLACE FUNCTION environment_event_problem(
  _type text, _recorded_at timestamptz, _audience integer[], _data jsonb
) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
-- Describes the problem of an event that does not concern a contribution. Null if it has none.
-- append_environment_event rejects such an event, the relay sets it aside, and verify reports it.
WITH members AS (
  SELECT m.name, m.form
    FROM (VALUES
      ('bank_link', 'company_id', 'id'), ('bank_link', 'bank_company_id', 'id'), ('bank_link', 'linked_at', 'time'),
      ('bank_link', 'unlinked_at', CASE WHEN _type = 'bank_link.ended' THEN 'time' ELSE 'time or null' END),
      ('webhook_endpoint', 'endpoint_id', 'id'), ('webhook_endpoint', 'failing_since', 'time or null'),
      ('webhook_endpoint', 'disables_at', 'time or null'), ('webhook_endpoint', 'disabled_reason', 'text or null'),
      ('webhook_delivery', 'endpoint_id', 'id'), ('webhook_delivery', 'event_id', 'id'),
      ('webhook_delivery', 'event_type', 'text'), ('webhook_delivery', 'transaction_id', 'text or null'),
      ('webhook_delivery', 'attempts', 'number'), ('webhook_delivery', 'failure', 'text'),
      ('webhook_delivery', 'status', 'number or null'),
      ('sandbox', 'company_id', 'id'), ('sandbox', 'bank_company_id', 'id'), ('sandbox', 'reset_at', 'time'),
      ('sandbox', 'generation', 'number'),
      ('statement_day', 'account_id', 'id'), ('statement_day', 'day', 'day'), ('statement_day', 'lines_gone', 'number'),
      ('statement_day', 'lines_added', 'number')
    ) AS m (subject, name, form)
   WHERE m.subject = split_part(_type, '.', 1)
   UNION ALL
  -- Only the end of a link that was voided has this member.
  SELECT 'mistake', 'true' WHERE _type = 'bank_link.ended' AND _data ? 'mistake'
)
SELECT CASE
  WHEN isfinite(_recorded_at) IS NOT TRUE THEN 'its time is not finite'
  WHEN array_position(_audience, NULL) IS NOT NULL
    OR cardinality(_audience) NOT BETWEEN 0 AND CASE WHEN _type LIKE 'bank\_link.%' THEN 1 ELSE 0 END
    OR _audience IS NULL THEN 'its audience is not that of its type'
  WHEN jsonb_typeof(_data) IS DISTINCT FROM 'object'
    OR (SELECT count(*) FROM jsonb_object_keys(CASE WHEN jsonb_typeof(_data) = 'object' THEN _data ELSE '{}' END))
       <> (SELECT count(*) FROM members) THEN 'its data does not have the members of its type'
  ELSE (
    SELECT format('the member %s of its data has another form', min(m.name)) FROM members m
     WHERE NOT COALESCE(CASE
       WHEN _data -> m.name = 'null' THEN m.form LIKE '% or null'
       WHEN m.form LIKE 'id%' THEN jsonb_typeof(_data -> m.name) = 'string'
         AND _data ->> m.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
       WHEN m.form LIKE 'time%' THEN jsonb_typeof(_data -> m.name) = 'string'
         AND _data ->> m.name ~ '^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$'
       WHEN m.form = 'day' THEN jsonb_typeof(_data -> m.name) = 'string' AND _data ->> m.name ~ '^\d{4}-\d\d-\d\d$'
       WHEN m.form = 'true' THEN _data -> m.name = 'true'
       WHEN m.form LIKE 'number%' THEN jsonb_typeof(_data -> m.name) = 'number' AND _data ->> m.name ~ '^\d{1,7}$'
       ELSE jsonb_typeof(_data -> m.name) = 'string' AND char_length(_data ->> m.name) BETWEEN 1 AND 100
     END, false)
    HAVING count(*) > 0)
  END
$$;
