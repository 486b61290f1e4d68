import type { Knex } from 'knex';

import { grantDefaults } from './column-defaults';
import { callingFunctions, colocationTable, delegatedFunctions, tableKinds } from './table-kinds';

const onWorkers = Object.keys(tableKinds).filter((name) => tableKinds[name] !== 'local');

/**
 * Sets what Citus needs on the functions and privileges of the schema: a replaced function loses
 * its settings, and new privileges lack those of defaults. Changes nothing that is set.
 *
 * @returns the lines of the report of `npm run migrate`
 */
export async function restoreFunctions(transaction: Knex): Promise<string[]> {
  await grantDefaults(transaction, onWorkers);
  await callWithoutTransactions(transaction);
  await planEachCall(transaction);
  const names = await delegateFunctions(transaction);
  return names.length === 0 ? [] : [`functions run on the worker of the tenant: ${names.join(', ')}`];
}

/**
 * Makes Citus run the declared functions on the worker of the tenant, also inside another function
 * of the coordinator. Skips functions that already run there.
 *
 * @returns the names of the functions that changed
 */
async function delegateFunctions(transaction: Knex): Promise<string[]> {
  const { rows } = await transaction.raw<{ rows: { name: string; signature: string }[] }>(
    `SELECT p.proname AS name, p.oid::regprocedure::text AS signature
       FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY (:names)
        AND NOT EXISTS (
          SELECT FROM pg_dist_object o
           WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid AND o.distribution_argument_index IS NOT NULL
        )
      ORDER BY p.proname`,
    { names: Object.keys(delegatedFunctions) },
  );
  for (const { name, signature } of rows) {
    await transaction.raw(
      `SELECT create_distributed_function(?::regprocedure, ?, colocate_with => ?, force_delegation => true)`,
      [signature, delegatedFunctions[name] ?? '', colocationTable],
    );
  }
  return rows.map(({ name }) => name);
}

/** The settings of functions that are set here. */
export const settingsOfCluster = ['plan_cache_mode', 'citus.function_opens_transaction_block'];

/**
 * Makes Citus send the delegated call of each calling function without BEGIN and COMMIT. The call
 * needs one remote command instead of three, and the worker commits it. An explicit transaction
 * still encloses it.
 */
const callWithoutTransactions = (transaction: Knex): Promise<void> =>
  setOnFunctions(transaction, callingFunctions, 'citus.function_opens_transaction_block', 'off');

/**
 * Makes workers plan the queries of delegated functions for each call. Otherwise, Citus 13.2.1,
 * 13.2.2, 14.0.0 and 14.0.1 keep a further plan for each call until the connection ends: 30 kB per
 * query. Remove this when all supported versions contain Citus's pull request 8824.
 */
const planEachCall = (transaction: Knex): Promise<void> =>
  setOnFunctions(transaction, Object.keys(delegatedFunctions), 'plan_cache_mode', 'force_custom_plan');

async function setOnFunctions(
  transaction: Knex,
  names: readonly string[],
  setting: string,
  value: string,
): Promise<void> {
  const { rows } = await transaction.raw<{ rows: { signature: string }[] }>(
    `SELECT p.oid::regprocedure::text AS signature
       FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY (:names)
        AND :entry <> ALL (COALESCE(p.proconfig, '{}'))
      ORDER BY p.proname`,
    { names, entry: `${setting}=${value}` },
  );
  for (const { signature } of rows)
    await transaction.raw(`ALTER FUNCTION ${signature} SET ${setting} = ${value}`);
}
