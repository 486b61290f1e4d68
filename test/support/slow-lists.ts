import { serviceRole } from '../../src/db/roles/roles';
import type { TestDatabase } from './database';

/**
 * Sets how long the first page of each list takes, in seconds. It reads `pg_stat_activity`, which
 * `createSlowLists` has replaced.
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
    CREATE OR REPLACE FUNCTION slow_activity() RETURNS SETOF pg_catalog.pg_stat_activity LANGUAGE plpgsql AS $$
    BEGIN
      ${pause === 'before' ? sleep : ''}
      RETURN QUERY SELECT * FROM pg_catalog.pg_stat_activity;
      ${pause === 'after' ? sleep : ''}
    END $$;
    RESET citus.enable_ddl_propagation`);
}

/** Prepares a database for `slowDownLists`, before the service connects to it. */
export async function createSlowLists(...slowDown: Parameters<typeof slowDownLists>): Promise<void> {
  const [{ admin }] = slowDown;
  const { rows } = await admin.query<{ name: string }>('SELECT current_database() AS name');
  await slowDownLists(...slowDown);
  await admin.query(`
    SET citus.enable_ddl_propagation = off;
    CREATE VIEW public.pg_stat_activity AS SELECT * FROM slow_activity();
    GRANT SELECT ON public.pg_stat_activity TO ${serviceRole};
    ALTER DATABASE ${rows[0]!.name} SET search_path = public, pg_catalog;
    RESET citus.enable_ddl_propagation`);
}
