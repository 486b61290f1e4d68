import type { Client } from 'pg';

import type { Recording } from './assignment';
import { filesThat } from './recordings';
import { parse, tablesOf } from './syntax-tree';
import type { Task } from './task';

/** The tables with data of environments, and those that define environments. */
export async function tenantTables(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ table: string }>(
    `SELECT attrelid::regclass::text AS "table" FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE attname = 'environment_id' AND relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
  );
  return new Set(rows.map(({ table }) => table));
}

// $1 the tables. The constraints come from the system catalog, so those of later migrations are
// included.
const droppable = `
  SELECT conrelid::regclass::text AS "table", conname AS name,
         CASE contype WHEN 'p' THEN 'key' WHEN 'u' THEN 'key' WHEN 'f' THEN 'reference' ELSE 'check' END AS kind,
         format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) AS change
    FROM pg_constraint WHERE conrelid::regclass::text = ANY ($1) AND contype <> 'n'
  UNION ALL
  SELECT indrelid::regclass::text, indexrelid::regclass::text, 'unique index', format('DROP INDEX %s', indexrelid::regclass)
    FROM pg_index
   WHERE indrelid::regclass::text = ANY ($1) AND indisunique
     AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid)
  UNION ALL
  SELECT tgrelid::regclass::text, tgname, 'trigger', format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass)
    FROM pg_trigger WHERE tgrelid::regclass::text = ANY ($1) AND NOT tgisinternal
  UNION ALL
  -- Excludes computed columns: they are empty only if their source columns are.
  SELECT attrelid::regclass::text, attname || ' NOT NULL', 'not null',
         format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', attrelid::regclass, attname)
    FROM pg_attribute
   WHERE attrelid::regclass::text = ANY ($1) AND attnum > 0 AND NOT attisdropped AND attnotnull
     AND attidentity = '' AND attgenerated = ''
     AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND indisprimary AND attnum = ANY (indkey))
   ORDER BY 1, 3, 2`;

/**
 * Drops each constraint of these tables. The tests of the schema come first, then those of the
 * service.
 */
export async function schemaTasks(
  client: Client,
  recordings: readonly Recording[],
  tables: ReadonlySet<string>,
): Promise<Task[]> {
  const { rows } = await client.query<{ table: string; name: string; kind: string; change: string }>(
    droppable,
    [[...tables]],
  );
  const schemaTests = recordings.map(({ file }) => file).filter((file) => file.startsWith('test/schema/'));
  return rows.map(({ table, name, kind, change }) => ({
    subject: `table ${table}`,
    key: `${name} is gone`,
    kind,
    assignment: { do: 'nothing' },
    schemaChange: change,
    files: [...schemaTests, ...filesThat(recordings, (text) => tablesOf(parse(text)).includes(table))],
  }));
}
