import type { Knex } from 'knex';

interface Grant {
  table: string;
  column: string;
  role: string;
}

/**
 * A role that may insert into some columns of these tables also gets the privilege for the columns
 * with a default. Citus fills in defaults with the privileges of the caller.
 */
export async function grantDefaults(transaction: Knex, tables: readonly string[]): Promise<void> {
  const { rows } = await transaction.raw<{ rows: Grant[] }>(
    `WITH inserts AS (
       SELECT DISTINCT c.oid AS table_id, c.relname AS "table", g.grantee
         FROM pg_class c
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        CROSS JOIN aclexplode(a.attacl) g
        WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY (:tables) AND g.privilege_type = 'INSERT'
     )
     SELECT i."table", a.attname AS "column", r.rolname AS role
       FROM inserts i
       JOIN pg_roles r ON r.oid = i.grantee
       JOIN pg_attribute a ON a.attrelid = i.table_id AND a.attnum > 0 AND NOT a.attisdropped
      WHERE a.attgenerated = '' AND (a.atthasdef OR a.attidentity <> '')
        AND NOT has_column_privilege(r.oid, i.table_id, a.attnum, 'INSERT')
      ORDER BY 1, 2, 3`,
    { tables },
  );
  for (const { table, column, role } of rows) {
    await transaction.raw('GRANT INSERT (??) ON ?? TO ??', [column, table, role]);
  }
  await grantSequences(transaction, tables);
}

/** PostgreSQL needs no privilege to generate the value of an identity column. Citus does. */
async function grantSequences(transaction: Knex, tables: readonly string[]): Promise<void> {
  const { rows } = await transaction.raw<{ rows: { sequence: string; role: string }[] }>(
    `SELECT DISTINCT s.id::regclass::text AS sequence, r.rolname AS role
       FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> ''
      CROSS JOIN LATERAL (SELECT pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass::oid AS id) AS s
      CROSS JOIN LATERAL aclexplode(a.attacl) g
       JOIN pg_roles r ON r.oid = g.grantee
      WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY (:tables) AND g.privilege_type = 'INSERT'
        AND NOT has_sequence_privilege(r.oid, s.id, 'USAGE')
      ORDER BY 1, 2`,
    { tables },
  );
  for (const { sequence, role } of rows) {
    await transaction.raw('GRANT USAGE ON SEQUENCE ?? TO ??', [sequence, role]);
  }
}
