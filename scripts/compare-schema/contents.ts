import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Client } from 'pg';

import { addFacts, type Facts } from './facts';

interface Fact {
  name: string;
  properties: Record<string, unknown>;
}

/**
 * Tables, or sequences, without those of extensions and shards. The migrator's own tables record
 * how the database was created.
 */
const relations = (kinds: string): string => `
  SELECT c.oid::regclass::text AS name,
         ARRAY(SELECT a.attname::text FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                WHERE a.attrelid = c.oid AND a.atttypid = 'timestamptz'::regtype
                  AND pg_get_expr(d.adbin, d.adrelid) = 'now()') AS times
    FROM pg_class c
   WHERE c.relkind IN (${kinds}) AND c.oid >= 16384 AND c.relnamespace = 'public'::regnamespace
     AND c.relname !~ '^(knex_migrations|schema_functions)'
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
     AND c.relname !~ '_\\d{6,}$'`;

/** All rows, without the times at which they were inserted, and the positions of the sequences. */
export async function readRows(client: Client, facts: Facts): Promise<void> {
  const tables = await client.query<{ name: string; times: string[] }>(relations(`'r', 'p'`));
  for (const { name, times } of tables.rows) {
    const { rows } = await client.query<{ content: string }>(
      `SELECT (to_jsonb(t) - $1::text[])::text AS content FROM ${name} t ORDER BY 1`,
      [times],
    );
    addFacts(facts, `rows of ${name}`, { count: rows.length, rows: rows.map(({ content }) => content) });
  }
  const sequences = await client.query<{ name: string }>(relations(`'S'`));
  for (const { name } of sequences.rows) {
    const { rows } = await client.query(`SELECT last_value, is_called FROM ${name}`);
    addFacts(facts, `position of sequence ${name}`, { position: rows[0] });
  }
}

/** The privileges and settings of the database itself. Its name differs. */
const databaseFacts = `
  SELECT 'database' AS name, jsonb_build_object(
           'owner', d.datdba::regrole, 'connections', d.datconnlimit,
           'privileges', (SELECT jsonb_agg(to_jsonb(g) ORDER BY g) FROM aclexplode(d.datacl) g),
           'settings', (SELECT jsonb_agg(jsonb_build_array(s.setrole::regrole, s.setconfig) ORDER BY s.setrole)
                          FROM pg_db_role_setting s WHERE s.setdatabase = d.oid)) AS properties
    FROM pg_database d WHERE d.datname = current_database()`;

/** How Citus stores the tables. The numbers of groups and shards differ. */
const distributionFacts = `
  WITH users AS (SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass)
  SELECT concat('distribution of table ', p.logicalrelid) AS name, jsonb_build_object(
           'partmethod', p.partmethod, 'repmodel', p.repmodel, 'autoconverted', p.autoconverted,
           'column', CASE WHEN p.partkey IS NOT NULL THEN column_to_column_name(p.logicalrelid, p.partkey) END,
           'is_with_users', p.colocationid = users.colocationid,
           'shards', (SELECT count(*) FROM pg_dist_shard s WHERE s.logicalrelid = p.logicalrelid)) AS properties
    FROM pg_dist_partition p CROSS JOIN users
  UNION ALL
  SELECT concat('distributed object ', i.type, ' ', i.identity), jsonb_build_object(
           'argument', o.distribution_argument_index, 'is_delegated', o.force_delegation,
           'is_with_users', o.colocationid = users.colocationid)
    FROM pg_dist_object o CROSS JOIN users CROSS JOIN LATERAL pg_identify_object(o.classid, o.objid, o.objsubid) i
   WHERE o.classid <> 'pg_database'::regclass`;

export async function readDatabase(client: Client, facts: Facts, isCluster: boolean): Promise<void> {
  for (const query of isCluster ? [databaseFacts, distributionFacts] : [databaseFacts]) {
    const { rows } = await client.query<Fact>(query);
    for (const { name, properties } of rows) addFacts(facts, name, properties);
  }
}

/** A pg_dump that can read the server. Undefined if there is none. */
export async function findDump(serverMajor: number): Promise<string | undefined> {
  for (const program of [process.env['PG_DUMP'] ?? 'pg_dump', 'pg_dump']) {
    const { stdout } = await promisify(execFile)(program, ['--version']).catch(() => ({
      stdout: '',
    }));
    if (Number(/ (\d+)/.exec(stdout)?.[1] ?? 0) >= serverMajor) return program;
  }
  return undefined;
}

/** The statements of pg_dump. The order of the lines of a statement does not count. */
export async function readDump(program: string, url: string, facts: Facts): Promise<void> {
  const { stdout } = await promisify(execFile)(program, ['--schema-only', `--dbname=${url}`], {
    maxBuffer: 64 * 1024 ** 2,
  });
  const statements = new Map<string, string[]>();
  let name = 'settings';
  for (const line of stdout.split('\n')) {
    const [, header, type] = /^-- Name: (.*?); Type: (.*?); Schema:/.exec(line) ?? [];
    if (header !== undefined) name = `${type} ${header}`;
    if (/^(--|\\(un)?restrict|\s*$)/.test(line)) continue;
    statements.set(name, [...(statements.get(name) ?? []), line.replace(/,$/, '')]);
  }
  for (const [statement, lines] of statements)
    addFacts(facts, `pg_dump ${statement}`, { lines: lines.sort() });
}
