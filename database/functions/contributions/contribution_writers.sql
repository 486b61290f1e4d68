CREATE OR REPLACE FUNCTION contribution_writers() RETURNS text[] LANGUAGE sql AS $$
  SELECT COALESCE(array_agg(DISTINCT concat(inet_server_port(), ' ', l.virtualtransaction)), '{}')
    FROM pg_locks l
   WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.pid IS DISTINCT FROM pg_backend_pid()
     AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
     -- On a worker of Citus, the table consists of shards such as transactions_102043.
     AND l.relation IN (SELECT c.oid FROM pg_class c WHERE c.relname ~ '^transactions(_\d+)?$' AND c.relkind = 'r')
$$;
