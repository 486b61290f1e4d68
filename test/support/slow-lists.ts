import { Client } from 'pg';

import { sessionConfig } from '../../src/db/session-settings';
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
  await replaceActivity(admin, pause === 'before' ? sleep : '', pause === 'after' ? sleep : '');
}

/** @param before what the view does before it reads the sessions, in PL/pgSQL */
async function replaceActivity(admin: TestDatabase['admin'], before: string, after = ''): Promise<void> {
  await admin.query(`
    SET citus.enable_ddl_propagation = off;
    CREATE OR REPLACE FUNCTION slow_activity() RETURNS SETOF pg_catalog.true_stat_activity LANGUAGE plpgsql AS $$
    BEGIN
      ${before}
      RETURN QUERY SELECT * FROM pg_catalog.true_stat_activity;
      ${after}
    END $$;
    RESET citus.enable_ddl_propagation`);
}

/** A key of advisory locks that nothing else uses. */
const heldKey = 71_834;

/**
 * Holds the first page of each list from now on, until the returned function is called.
 */
export async function holdLists({ admin, adminUrl }: TestDatabase): Promise<() => Promise<void>> {
  const holder = new Client(sessionConfig({ connectionString: adminUrl }));
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock($1)', [heldKey]);
  await replaceActivity(
    admin,
    `PERFORM pg_advisory_lock_shared(${heldKey}); PERFORM pg_advisory_unlock_shared(${heldKey});`,
  );
  return async () => {
    await replaceActivity(admin, '');
    await holder.end();
  };
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
