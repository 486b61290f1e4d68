CREATE OR REPLACE FUNCTION wait_for_contribution_writers() RETURNS void LANGUAGE plpgsql AS $$
-- On Citus, contributions are written on the workers, so this waits for the writers of every node. It
-- fails if a node does not respond, because the node may still be writing.
DECLARE
  until timestamptz := clock_timestamp() + interval '5 seconds';
  has_nodes boolean := to_regproc('run_command_on_all_nodes') IS NOT NULL;
  writers text[];
  writing text[];
  silent text;
BEGIN
  LOOP
    IF has_nodes THEN
      EXECUTE $query$
        SELECT array_agg(w.name) FILTER (WHERE w.name IS NOT NULL), min(r.result) FILTER (WHERE NOT r.success)
          FROM run_command_on_all_nodes('SELECT to_json(contribution_writers())') r
          LEFT JOIN LATERAL json_array_elements_text(CASE WHEN r.success THEN r.result::json END) AS w (name) ON true
      $query$ INTO writing, silent;
      IF silent IS NOT NULL THEN
        RAISE EXCEPTION 'a node does not say which statements are writing contributions: %', silent
          USING ERRCODE = 'lock_not_available';
      END IF;
    ELSE
      writing := contribution_writers();
    END IF;
    -- After the first attempt, waits only for the writers found then.
    writers := ARRAY(SELECT w FROM unnest(writing) AS w WHERE writers IS NULL OR w = ANY (writers));
    IF cardinality(writers) = 0 THEN
      RETURN;
    ELSIF clock_timestamp() > until THEN
      RAISE EXCEPTION 'statements that were writing contributions five seconds ago have not ended'
        USING ERRCODE = 'lock_not_available';
    END IF;
    PERFORM pg_sleep(0.01);
  END LOOP;
END $$;
