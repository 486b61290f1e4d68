import type { QueryResultRow } from 'pg';

import { groupBy } from '../../shared/group-by';
import { settingsOfCluster, tableNames } from '../cluster';
import { operatorRole, serviceRole } from '../roles/roles';
import { functionOf, privilegesPath, type SchemaFile } from './schema-files';

/** A digest of each function, trigger and list of privileges that a file defines, by its name. */
export type Definitions = Readonly<Record<string, string>>;

const digestOf = (value: string): string => `encode(sha256(convert_to(${value}::text, 'UTF8')), 'hex')`;

/** Those whose privileges `privileges.sql` sets. */
export const grantees = `(
  SELECT 0 AS id, 'PUBLIC' AS name
   UNION ALL SELECT oid, rolname FROM pg_roles WHERE rolname IN ('${serviceRole}', '${operatorRole}')
)`;

/**
 * Reads the stored fields, never the text that PostgreSQL builds from them: some settings of a
 * session change that text. $1 the names of the functions, $2 those of the tables.
 */
const readAll = `
  SELECT p.proname AS source, 'function ' || p.proname AS name,
         ${digestOf(`jsonb_build_array(
           pg_get_userbyid(p.proowner), p.prosrc, l.lanname, p.provolatile, p.prosecdef,
           p.proisstrict, p.proretset, p.proparallel, p.proleakproof, p.procost, p.prorows, replace(pg_get_expr(p.proargdefaults, 0), '"', ''),
           p.proargnames, p.proargmodes,
           (SELECT jsonb_agg(t.typname ORDER BY a.place)
              FROM unnest(COALESCE(p.proallargtypes, p.proargtypes::oid[]) || p.prorettype) WITH ORDINALITY AS a (id, place)
              JOIN pg_type t ON t.oid = a.id),
           ARRAY(SELECT s FROM unnest(p.proconfig) AS s WHERE split_part(s, '=', 1) <> ALL ('{${settingsOfCluster.join(',')}}'::text[]) ORDER BY s))`)}
           AS digest
    FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
   WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($1)
  UNION ALL
  SELECT p.proname, format('trigger %s of %s', t.tgname, c.relname),
         ${digestOf('jsonb_build_array(t.tgtype, t.tgenabled, cardinality(t.tgattr::smallint[]), t.tgqual IS NULL)')}
    FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_class c ON c.oid = t.tgrelid
   WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($2) AND p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($1)
  UNION ALL
  SELECT '', 'privileges of ' || o.name,
         ${digestOf(`jsonb_agg(jsonb_build_array(pg_get_userbyid(o.owner), g.name, o.part, a.privilege_type, a.is_grantable)
                       ORDER BY g.name, o.part, a.privilege_type)`)}
    FROM (
      SELECT c.relname AS name, '' AS part, c.relowner AS owner, c.relacl AS acl FROM pg_class c
       WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($2)
      UNION ALL
      SELECT c.relname, a.attname, c.relowner, a.attacl FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($2)
      UNION ALL
      SELECT 'schema public', '', n.nspowner, COALESCE(n.nspacl, acldefault('n', n.nspowner)) FROM pg_namespace n
       WHERE n.nspname = 'public'
      UNION ALL
      SELECT p.proname || '()', '', p.proowner, COALESCE(p.proacl, acldefault('f', p.proowner)) FROM pg_proc p
       WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($1)
         -- Nobody can call a trigger function, so privileges.sql does not name it.
         AND p.prorettype <> 'trigger'::regtype
    ) AS o
   CROSS JOIN LATERAL aclexplode(o.acl) AS a
    JOIN ${grantees} AS g ON g.id = a.grantee
   GROUP BY o.name
   ORDER BY name, digest`;

interface Row extends QueryResultRow {
  source: string;
  name: string;
  digest: string;
}

/** A query on a database, whichever client it has. */
export type RunQuery = <Row extends QueryResultRow>(
  sql: string,
  values: readonly unknown[],
) => Promise<Row[]>;

/** Reads what the database has of each file, by the path of the file. */
export async function readDefinitions(
  runQuery: RunQuery,
  files: readonly SchemaFile[],
): Promise<Map<string, Definitions>> {
  const rows = await runQuery<Row>(readAll, [files.map(functionOf), tableNames]);
  const bySource = groupBy(rows, ({ source }) => source);
  return new Map(
    files.map((file) => [
      file.path,
      digestsOf(bySource.get(file.path === privilegesPath ? '' : functionOf(file)) ?? []),
    ]),
  );
}

/** Two functions of one name count as one, so that a second one is a change. */
function digestsOf(rows: readonly Row[]): Definitions {
  const digests: Record<string, string> = {};
  for (const { name, digest } of rows) digests[name] = (digests[name] ?? '') + digest;
  return digests;
}

/** The names of the functions, triggers and privileges that are not as they were. */
export function changedNames(before: Definitions, now: Definitions): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => before[name] !== now[name]).sort();
}
