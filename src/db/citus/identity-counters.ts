import type { Knex } from 'knex';

/** The last value of the identity column of a table. */
export interface Counter {
  table: string;
  column: string;
  /** A bigint as text, because it may exceed the integers of JavaScript. */
  last_value: string;
}

/** Reads the identity columns of these tables that have already numbered a row. */
export async function readCounters(transaction: Knex, tables: readonly string[]): Promise<Counter[]> {
  const { rows } = await transaction.raw<{ rows: Counter[] }>(
    `SELECT counter."table", counter."column", s.last_value::text
       FROM (
         SELECT c.relname AS "table", a.attname AS "column",
                pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass AS sequence
           FROM pg_class c
           JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> ''
          WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY (:tables)
       ) AS counter
       JOIN pg_sequences s ON format('%I.%I', s.schemaname, s.sequencename)::regclass = counter.sequence
      WHERE s.last_value IS NOT NULL`,
    { tables },
  );
  return rows;
}

/** Continues the numbering: Citus starts the identity columns of a converted table at 1. */
export async function restoreCounters(transaction: Knex, counters: readonly Counter[]): Promise<void> {
  for (const { table, column, last_value: lastValue } of counters) {
    await transaction.raw('SELECT setval(pg_get_serial_sequence(quote_ident(?), ?), ?::bigint)', [
      table,
      column,
      lastValue,
    ]);
  }
}
