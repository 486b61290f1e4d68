import type { Client } from 'pg';

/** A foreign key, or an index that does not belong to a constraint. */
interface Rule {
  table: string;
  name: string;
  definition: string;
  isIndex: boolean;
}

// Compares complete definitions, as PostgreSQL prints them, not only names.
const everyRule = `
  SELECT conrelid::regclass::text AS "table", conname AS name, concat_ws(' ', pg_get_constraintdef(oid), convalidated) AS definition
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL
  SELECT indrelid::regclass::text, indexrelid::regclass::text,
         concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid, indisready, pg_get_userbyid(c.relowner))
    FROM pg_index JOIN pg_class c ON c.oid = indexrelid AND c.relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT tgrelid::regclass::text, tgname, concat_ws(' ', pg_get_triggerdef(t.oid), tgenabled)
    FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid AND c.relnamespace = 'public'::regnamespace WHERE NOT tgisinternal
   ORDER BY 1, 2, 3`;

/** Every constraint, index and trigger as text. Equal lists mean equal schemas. */
export async function describeRules(client: Client): Promise<string> {
  return JSON.stringify((await client.query(everyRule)).rows, undefined, 1);
}

const rebuildable = `
  SELECT conrelid::regclass::text AS "table", conname AS name, pg_get_constraintdef(oid) AS definition, false AS "isIndex"
    FROM pg_constraint WHERE contype = 'f' AND conrelid = ANY ($1::regclass[])
  UNION ALL
  SELECT indrelid::regclass::text, indexrelid::regclass::text, pg_get_indexdef(indexrelid), true
    FROM pg_index i
   WHERE indrelid = ANY ($1::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)
   ORDER BY 1, 2`;

/**
 * Drops the foreign keys and secondary indexes of these tables. Creating them after all rows are
 * inserted is several times faster.
 *
 * @returns the statements that create them again, which may run concurrently; indexes first
 */
export async function takeRulesAway(client: Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<Rule>(rebuildable, [tables]);
  for (const { table, name, isIndex } of rows) {
    await client.query(isIndex ? `DROP INDEX ${name}` : `ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  }
  return rows
    .sort((one, other) => Number(other.isIndex) - Number(one.isIndex))
    .map(({ table, name, definition, isIndex }) =>
      isIndex ? definition : `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`,
    );
}
