CREATE OR REPLACE FUNCTION bank_sees(
  _created_at timestamptz, _completed_at timestamptz, _linked_at timestamptz, _unlinked_at timestamptz
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
-- Whether a link shows a contribution to its bank. An active link shows all contributions except
-- those completed before the link started, because their references belong to a former bank. A
-- contribution that the bank saw as pending thus stays visible. An ended link shows those that were
-- created during the link. Null counts as false.
-- PostgreSQL inlines this expression, so it has no settings and no subquery.
SELECT (_unlinked_at IS NULL AND (_completed_at IS NULL OR _completed_at >= _linked_at))
    OR (_created_at >= _linked_at AND _created_at < _unlinked_at)
$$;
