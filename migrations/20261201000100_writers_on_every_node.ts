import type { Knex } from 'knex';

import { down as dropWait, up as createWait } from './20261122002200_links_wait_for_writers';

/** The transactions that write contributions on this server, including prepared ones. */
const contributionWriters = `
CREATE FUNCTION contribution_writers() RETURNS text[] LANGUAGE sql AS $$
  SELECT COALESCE(array_agg(DISTINCT concat(inet_server_port(), ' ', l.virtualtransaction)), '{}')
    FROM pg_locks l
   WHERE l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.pid IS DISTINCT FROM pg_backend_pid()
     AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
     -- On a worker of Citus, the table consists of shards such as transactions_102043.
     AND l.relation IN (SELECT c.oid FROM pg_class c WHERE c.relname ~ '^transactions(_\\d+)?$' AND c.relkind = 'r')
$$`;

const waitForContributionWriters = `
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
END $$`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(contributionWriters.replaceAll('?', '\\?'));
  await knex.raw(waitForContributionWriters);
}

export async function down(knex: Knex): Promise<void> {
  await dropWait(knex);
  await createWait(knex);
  await knex.raw('DROP FUNCTION contribution_writers()');
}
