import type { Knex } from 'knex';

import { MigrationError } from './migration-error';

/** A table or column that a migration would drop, and its number of rows with data. */
export interface Loss {
  /** As SQL writes it: `transactions`, `environments.figures_scope`. */
  name: string;
  rows: number;
}

/** The tables and columns that may be dropped although they hold data: all, or these names. */
export type AllowedLosses = 'everything' | ReadonlySet<string>;

/** Reverting a migration would drop data that is not in `AllowedLosses`. Nothing was changed. */
export class DataLoss extends MigrationError {
  constructor(
    migration: string,
    readonly losses: readonly Loss[],
  ) {
    const lines = losses.map(({ name, rows }) => `  ${name}: ${count(rows)}`);
    super(`Reverting ${migration} drops data, which cannot be undone:\n${lines.join('\n')}`);
  }
}

const count = (rows: number): string => `${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}`;

/**
 * Wraps a migration so that its `down` drops only allowed data. It first tries `down` in a
 * savepoint and compares the catalog before and after, so no migration declares what it drops. It
 * then locks the affected tables, counts their rows, and runs `down` in the same transaction.
 *
 * This does not work for migrations without a transaction. `test/schema/migrations.test.ts` checks
 * that none of them drops a table or a column.
 */
export function guardAgainstLoss(
  name: string,
  migration: Knex.Migration,
  allowedLosses: ReadonlySet<string>,
): Knex.Migration {
  return {
    ...migration,
    down: async (transaction: Knex) => {
      const dropped = await tryDown(transaction, migration);
      const atRisk = dropped.filter((part) => !allowedLosses.has(part.name));
      // Counting a large table takes a long time, so check without a lock first. The check under
      // the lock decides.
      await rejectLosses(name, transaction, atRisk);
      // The lock that `down` needs. Upgrading a weaker one can deadlock with queries that hold
      // ROW SHARE.
      for (const table of new Set(atRisk.map((part) => part.table))) {
        await transaction.raw(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      }
      await rejectLosses(name, transaction, atRisk);
      await migration.down?.(transaction);
    },
  };
}

interface DroppedPart {
  /** The whole table or one of its columns, as in {@link Loss}. */
  name: string;
  table: string;
  /** Undefined for the whole table. */
  column: string | undefined;
  /** A constant that the column has in rows without data of their own. */
  constant?: string;
}

async function tryDown(transaction: Knex, migration: Knex.Migration): Promise<DroppedPart[]> {
  await transaction.raw('SAVEPOINT before_down');
  const before = await readColumns(transaction);
  await migration.down?.(transaction);
  const after = await readColumns(transaction);
  await transaction.raw('ROLLBACK TO SAVEPOINT before_down');
  return droppedParts(before, after);
}

export interface StoredColumn {
  table_id: number;
  column_number: number;
  table: string;
  column: string;
  /** The default as SQL; null if there is none. */
  default_value: string | null;
}

/** The stored columns (not generated ones) of all tables outside PostgreSQL's own schemas. */
export async function readColumns(database: Knex): Promise<StoredColumn[]> {
  const { rows } = await database.raw<{ rows: StoredColumn[] }>(
    `SELECT c.oid AS table_id, a.attnum AS column_number, c.oid::regclass::text AS "table", quote_ident(a.attname) AS "column",
            pg_get_expr(d.adbin, d.adrelid) AS default_value
       FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_attribute a ON a.attrelid = c.oid
       LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
        AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
      ORDER BY "table", column_number`,
  );
  return rows;
}

/** A default that is an integer. Dropping a column loses nothing in rows that have its default. */
const constantNumber = /^(\d+|'\d+'::(smallint|integer|bigint))$/;

/** Compares object ids, so that a rename does not count as a drop. */
export function droppedParts(before: readonly StoredColumn[], after: readonly StoredColumn[]): DroppedPart[] {
  const idOf = (column: StoredColumn): string => `${column.table_id}.${column.column_number}`;
  const tables = new Set(after.map((column) => column.table_id));
  const columns = new Set(after.map(idOf));
  const parts = before
    .filter((stored) => !columns.has(idOf(stored)))
    .map(({ table_id: tableId, table, column, default_value: value }): DroppedPart =>
      tables.has(tableId)
        ? {
            name: `${table}.${column}`,
            table,
            column,
            ...(value !== null && constantNumber.test(value) && { constant: value }),
          }
        : { name: table, table, column: undefined },
    );
  return [...new Map(parts.map((part) => [part.name, part])).values()];
}

async function rejectLosses(migration: string, database: Knex, parts: readonly DroppedPart[]): Promise<void> {
  const losses: Loss[] = [];
  for (const { name, table, column = '*', constant } of parts) {
    const counted = constant === undefined ? column : `NULLIF(${column}, ${constant})`;
    const { rows } = await database.raw<{ rows: [{ count: string }] }>(
      `SELECT count(${counted}) AS count FROM ${table}`,
    );
    const rowCount = Number(rows[0].count);
    if (rowCount > 0) losses.push({ name, rows: rowCount });
  }
  if (losses.length > 0) throw new DataLoss(migration, losses);
}
