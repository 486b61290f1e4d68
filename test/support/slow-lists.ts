import type { TestDatabase } from './database';

/**
 * Sets how long the first page of each list takes, in seconds. It reads `pg_stat_activity`, which
 * `createSlowLists` has replaced. Tests read `true_stat_activity` instead.
 *
 * @param pause whether the time passes before or after the sessions are read
 */
export async function slowDownLists(
  { admin }: TestDatabase,
  seconds: number,
  pause: 'before' | 'after' = 'before',
): Promise<void> {
  const sleep = `PERFORM pg_sleep(${seconds});`;
  await admin.query(`
    SET citus.enable_ddl_propagation = off;
    CREATE OR REPLACE FUNCTION slow_activity() RETURNS SETOF pg_catalog.true_stat_activity LANGUAGE plpgsql AS $$
    BEGIN
      ${pause === 'before' ? sleep : ''}
      RETURN QUERY SELECT * FROM pg_catalog.true_stat_activity;
      ${pause === 'after' ? sleep : ''}
    END $$;
    RESET citus.enable_ddl_propagation`);
}

/** Prepares a database for `slowDownLists`, before the service connects to it. */
export async function createSlowLists(...slowDown: Parameters<typeof slowDownLists>): Promise<void> {
  const [{ admin }] = slowDown;
  await admin.query(`
    SET citus.enable_ddl_propagation = off;
    SET allow_system_table_mods = on;
    ALTER VIEW pg_catalog.pg_stat_activity RENAME TO true_stat_activity;
    RESET allow_system_table_mods;
    RESET citus.enable_ddl_propagation`);
  await slowDownLists(...slowDown);
  await admin.query(`
    SET citus.enable_ddl_propagation = off;
    SET allow_system_table_mods = on;
    CREATE VIEW pg_catalog.pg_stat_activity AS SELECT * FROM public.slow_activity();
    GRANT SELECT ON pg_catalog.pg_stat_activity TO PUBLIC;
    RESET allow_system_table_mods;
    RESET citus.enable_ddl_propagation`);
}
