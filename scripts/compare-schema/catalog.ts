import type { Client } from 'pg';

import { addFacts, type Facts } from './facts';

/** Catalogs that say nothing about the schema, or nothing that another catalog does not say. */
const skipped = new Set([
  // Statistics about rows.
  'pg_statistic',
  'pg_statistic_ext_data',
  // What initdb and CREATE EXTENSION granted.
  'pg_init_privs',
  'pg_largeobject',
  'pg_largeobject_metadata',
]);

/** Columns without an effect on what a statement does. */
const ignored: Record<string, string[]> = {
  pg_class: [
    // Where and how the rows are stored.
    ...['relpages', 'reltuples', 'relallvisible', 'relallfrozen', 'relfrozenxid', 'relminmxid'],
    ...['reltoastrelid', 'relfilenode'],
    // Also counts dropped columns.
    'relnatts',
    // Stay true after the last index, rule or trigger is dropped.
    ...['relhasindex', 'relhasrules', 'relhastriggers'],
  ],
  // The order of columns does not count. A column with a default that is added to a table has the
  // value for old rows here.
  pg_attribute: ['attnum', 'attcacheoff', 'atthasmissing'],
  pg_index: ['indcheckxmin'],
  // The number of a column. The name of the object has the column's name.
  pg_depend: ['objsubid', 'refobjsubid'],
  pg_description: ['objsubid'],
};

/** Parts of an object that its catalog stores as a tree, or with numbers of columns. */
const definitions: Record<string, string> = {
  pg_attrdef: 'pg_get_expr(x.adbin, x.adrelid)',
  pg_class: `jsonb_build_array(pg_get_expr(x.relpartbound, x.oid), pg_get_partkeydef(x.oid),
    (SELECT t.reloptions FROM pg_class t WHERE t.oid = x.reltoastrelid))`,
  pg_constraint: 'pg_get_constraintdef(x.oid)',
  pg_index: `jsonb_build_array(pg_get_indexdef(x.indexrelid),
    (SELECT jsonb_agg(a.attstattarget ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = x.indexrelid))`,
  pg_policy: 'jsonb_build_array(pg_get_expr(x.polqual, x.polrelid), pg_get_expr(x.polwithcheck, x.polrelid))',
  pg_proc: 'jsonb_build_array(pg_get_function_arguments(x.oid), pg_get_function_sqlbody(x.oid))',
  pg_publication_rel: 'pg_get_expr(x.prqual, x.prrelid)',
  pg_rewrite: 'pg_get_ruledef(x.oid)',
  pg_statistic_ext: 'pg_get_statisticsobjdef(x.oid)',
  pg_trigger: 'CASE WHEN NOT x.tgisinternal THEN pg_get_triggerdef(x.oid) END',
};

const userObjects = 'x.objid >= 16384';
const conditions: Record<string, string> = {
  pg_attribute: `x.attnum > 0 AND NOT x.attisdropped
    AND (SELECT c.relkind NOT IN ('i', 'I', 't') FROM pg_class c WHERE c.oid = x.attrelid)`,
  pg_depend: userObjects,
};

/** The type of object for which acldefault() knows the privileges that NULL means. */
const defaultPrivileges: Record<string, string> = {
  relacl: `acldefault(CASE x.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", x.relowner)`,
  proacl: `acldefault('f', x.proowner)`,
  typacl: `acldefault('T', x.typowner)`,
  nspacl: `acldefault('n', x.nspowner)`,
  lanacl: `acldefault('l', x.lanowner)`,
};

const identity = (catalog: string, id: string, part = '0'): string =>
  `CASE WHEN ${id} <> 0 THEN (SELECT concat_ws(' ', o.type, o.identity)
     FROM pg_identify_object(${catalog}, ${id}, ${part}) o) END`;

interface Column {
  catalog: string;
  name: string;
  type: string;
  /** The catalog that an object id refers to. */
  target: string | null;
  /** Whether it has numbers of columns. The definitions have their names. */
  numbers_columns: boolean;
}

const readColumns = `
  SELECT c.relname AS catalog, a.attname AS name, format_type(a.atttypid, NULL) AS type,
         (SELECT f.pktable::text FROM pg_get_catalog_foreign_keys() f
           WHERE f.fktable = c.oid AND f.fkcols = ARRAY[a.attname::text]) AS target,
         EXISTS (SELECT FROM pg_get_catalog_foreign_keys() f
           WHERE f.fktable = c.oid AND f.fkcols[2] = a.attname AND f.pktable = 'pg_attribute'::regclass) AS numbers_columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
   WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'r' AND NOT c.relisshared AND c.oid < 16384
   ORDER BY c.relname, a.attnum`;

/** The value of a column as JSON without object ids. Undefined leaves the column out. */
function valueOf({
  catalog,
  name,
  type,
  target,
  numbers_columns: numbersColumns,
}: Column): string | undefined {
  const column = `x.${name}`;
  if (numbersColumns || ignored[catalog]?.includes(name)) return undefined;
  if (type === 'aclitem[]') {
    return `(SELECT jsonb_agg(p.privilege ORDER BY p.privilege)
      FROM aclexplode(COALESCE(${column}, ${defaultPrivileges[name] ?? 'NULL'})) g
     CROSS JOIN LATERAL (SELECT format('%s for %s by %s%s', g.privilege_type, g.grantee::regrole,
       g.grantor::regrole, CASE WHEN g.is_grantable THEN ' with grant option' END)) p (privilege))`;
  }
  if (target !== null && type === 'oid') return `to_jsonb(${identity(`'${target}'::regclass`, column)})`;
  if (target !== null && (type === 'oid[]' || type === 'oidvector')) {
    return `(SELECT jsonb_agg(${identity(`'${target}'::regclass`, 'e.id')} ORDER BY e.position)
      FROM unnest(${column}::oid[]) WITH ORDINALITY AS e (id, position))`;
  }
  if (type === 'text[]') return `(SELECT jsonb_agg(e ORDER BY e) FROM unnest(${column}) e)`;
  return ['oid', 'pg_node_tree', 'anyarray'].includes(type) ? undefined : `to_jsonb(${column})`;
}

/** The name of an object: its own, that of the object that it belongs to, or all its columns. */
function nameOf(catalog: string, columns: Column[]): string {
  const has = (name: string): boolean => columns.some((column) => column.name === name);
  if (catalog === 'pg_attribute') return identity(`'pg_class'::regclass`, 'x.attrelid', 'x.attnum');
  if (has('objsubid') && has('classoid')) return identity('x.classoid', 'x.objoid', 'x.objsubid');
  if (catalog === 'pg_depend') {
    const [from, to] = [
      identity('x.classid', 'x.objid', 'x.objsubid'),
      identity('x.refclassid', 'x.refobjid', 'x.refobjsubid'),
    ];
    return `concat(${from}, ' depends on ', ${to})`;
  }
  if (has('oid') && catalog !== 'pg_enum') return identity(`'${catalog}'::regclass`, 'x.oid');
  const [first] = columns;
  if (first?.target && first.type === 'oid' && catalog !== 'pg_enum')
    return identity(`'${first.target}'::regclass`, `x.${first.name}`);
  return `(to_jsonb(x) - 'oid' - 'enumtypid')::text`;
}

function select(catalog: string, columns: Column[]): string {
  const values = columns.flatMap((column) => {
    const value = valueOf(column);
    return value === undefined ? [] : [`'${column.name}', ${value}`];
  });
  values.push(`'definition', ${definitions[catalog] ?? 'NULL'}`);
  return `SELECT ${nameOf(catalog, columns)} AS name, jsonb_build_object(${values.join(', ')}) AS properties
    FROM ${catalog} x WHERE ${conditions[catalog] ?? 'true'}`;
}

/**
 * Everything that the catalogs of PostgreSQL say about the database. New catalogs and columns of a
 * later version are included: object ids are replaced by names, and privileges are listed.
 */
export async function readCatalogs(client: Client, facts: Facts, prefix: string): Promise<void> {
  const { rows: columns } = await client.query<Column>(readColumns);
  const catalogs = new Set(columns.map((column) => column.catalog));
  for (const catalog of catalogs) {
    if (skipped.has(catalog)) continue;
    const { rows } = await client.query<{ name: string; properties: Record<string, unknown> }>(
      select(
        catalog,
        columns.filter((column) => column.catalog === catalog),
      ),
    );
    for (const { name, properties } of rows)
      if (!name.includes('pg_toast')) addFacts(facts, `${prefix}${catalog} ${name}`, properties);
  }
}
