import type { Knex } from 'knex';

/**
 * Creating a link waits for the statements that were writing contributions when `linked_at` was
 * read from the clock. All earlier completions are therefore visible together with the link.
 * Otherwise a bank could list a contribution as pending that it may not see a moment later.
 * Statements that begin later get a later time, and nothing waits for the link.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION wait_for_contribution_writers() RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      writers text[];
    BEGIN
      FOR attempt IN 1..500 LOOP
        SELECT array_agg(l.virtualtransaction) INTO writers
          FROM pg_locks l
         WHERE l.locktype = 'relation' AND l.relation = 'transactions'::regclass AND l.mode = 'RowExclusiveLock'
           AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
           AND l.pid IS DISTINCT FROM pg_backend_pid()
           -- After the first attempt, waits only for the writers found then.
           AND (attempt = 1 OR l.virtualtransaction = ANY (writers));
        IF writers IS NULL THEN RETURN; END IF;
        PERFORM pg_sleep(0.01);
      END LOOP;
      RAISE EXCEPTION 'statements that were writing contributions five seconds ago have not ended'
        USING ERRCODE = 'lock_not_available';
    END $$`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION wait_for_contribution_writers()');
}
