import type { Knex } from 'knex';

import { keysWithoutCluster, tableKinds } from './table-kinds';

export interface ForeignKey {
  /** For example `users_environment_fkey`. */
  name: string;
  table: string;
  /** For example `FOREIGN KEY (environment_id) REFERENCES environments(environment_id)`. */
  definition: string;
}

/**
 * Drops the foreign keys of these tables, and those of local tables that refer to them.
 *
 * @returns `kept`: foreign keys to add again after the tables are distributed. `dropped`: foreign
 *   keys that a cluster omits, and foreign keys of local tables, because Citus would distribute
 *   these tables too
 */
export async function dropForeignKeys(
  transaction: Knex,
  tables: readonly string[],
): Promise<{ kept: ForeignKey[]; dropped: ForeignKey[] }> {
  const { rows } = await transaction.raw<{ rows: ForeignKey[] }>(
    `SELECT conname AS name, conrelid::regclass::text AS "table", pg_get_constraintdef(oid) AS definition
       FROM pg_constraint
      WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conparentid = 0
        AND (conrelid::regclass::text = ANY (:tables) OR confrelid::regclass::text = ANY (:tables))
      ORDER BY oid`,
    { tables },
  );
  for (const { table, name } of rows) {
    await transaction.raw('ALTER TABLE ?? DROP CONSTRAINT ??', [table, name]);
  }
  const isDropped = ({ name, table }: ForeignKey): boolean =>
    tableKinds[table] === 'local' || keysWithoutCluster.has(name);
  return { kept: rows.filter((key) => !isDropped(key)), dropped: rows.filter(isDropped) };
}

/** Uses one command for each key, because Citus rejects several keys in one ALTER TABLE. */
export async function addForeignKeys(transaction: Knex, keys: readonly ForeignKey[]): Promise<void> {
  for (const { name, table, definition } of keys) {
    await transaction.raw(`ALTER TABLE ?? ADD CONSTRAINT ?? ${definition}`, [table, name]);
  }
}
