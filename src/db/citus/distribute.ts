import type { Knex } from 'knex';

import { addForeignKeys, dropForeignKeys } from './foreign-keys';
import { readCounters, restoreCounters } from './identity-counters';
import { colocationTable, distributionColumn, type TableKind, tableKinds } from './table-kinds';

/**
 * Citus rejects changes of environments after it has read several shards in parallel. Without
 * Citus, nothing reads this setting.
 */
export const changeOneServerAtATime = `SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)`;

/** Reference tables first, because distributed tables refer to them. */
const order = (kind: TableKind, name: string): number =>
  kind === 'reference' ? 0 : name === colocationTable ? 1 : 2;

/** The tables that exist and should be on the workers, but are not. */
async function readPending(transaction: Knex): Promise<{ name: string; kind: TableKind }[]> {
  const { rows } = await transaction.raw<{ rows: { name: string }[] }>(
    `SELECT c.relname AS name FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)
      ORDER BY c.relname`,
  );
  return rows
    .map(({ name }) => ({ name, kind: tableKinds[name] ?? 'local' }))
    .filter(({ kind }) => kind !== 'local')
    .sort((a, b) => order(a.kind, a.name) - order(b.kind, b.name));
}

/** Whether the tables of this coordinator were distributed. */
export async function isDistributed(transaction: Knex): Promise<boolean> {
  const { rows } = await transaction.raw<{ rows: [{ is: boolean }] }>(
    'SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(?)) AS is',
    [colocationTable],
  );
  return rows[0].is;
}

async function distributeTable(transaction: Knex, name: string, kind: TableKind): Promise<void> {
  if (kind === 'reference') {
    await transaction.raw('SELECT create_reference_table(?::regclass)', [name]);
    return;
  }
  await transaction.raw('SELECT create_distributed_table(?::regclass, ?, colocate_with => ?)', [
    name,
    distributionColumn,
    name === colocationTable ? 'none' : colocationTable,
  ]);
}

/**
 * Distributes every table that is not distributed yet, as `table-kinds.ts` declares, in one
 * transaction. Rows move to the workers. On a distributed schema it changes nothing.
 *
 * @param database a migration session on a coordinator
 * @returns the lines of the report of `npm run migrate`
 */
export function distribute(database: Knex): Promise<string[]> {
  return database.transaction(async (transaction) => {
    const tables = await readPending(transaction);
    const names = tables.map(({ name }) => name);
    const counters = await readCounters(transaction, names);
    // A table with an identity column cannot be converted while it has foreign keys.
    const { kept, dropped } = await dropForeignKeys(transaction, names);
    for (const { name, kind } of tables) await distributeTable(transaction, name, kind);
    await addForeignKeys(transaction, kept);
    await restoreCounters(transaction, counters);
    const namesOf = (kind: TableKind): string[] =>
      tables.filter((table) => table.kind === kind).map(({ name }) => name);
    const changes: [what: string, names: string[]][] = [
      ['reference tables on every node', namesOf('reference')],
      [`tables distributed by ${distributionColumn}`, namesOf('distributed')],
      ['foreign keys dropped for Citus', dropped.map(({ name }) => name)],
    ];
    return changes.flatMap(([what, changed]) =>
      changed.length === 0 ? [] : `${what}: ${changed.join(', ')}`,
    );
  });
}
