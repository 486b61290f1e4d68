import { tableNames } from '../cluster';
import { grantees, type RunQuery } from './definitions';
import { MigrationError } from './migration-error';
import { functionOf, privilegesPath, type SchemaFile } from './schema-files';

/**
 * PostgreSQL only warns when a role changes the privileges of a table that it does not own.
 *
 * @throws MigrationError if another role owns a table or a function of the schema
 */
export async function checkOwners(runQuery: RunQuery, files: readonly SchemaFile[]): Promise<void> {
  const [foreign] = await runQuery<{ object: string; owner: string }>(
    `SELECT 'TABLE ' || c.relname AS object, pg_get_userbyid(c.relowner) AS owner FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1) AND NOT pg_has_role(c.relowner, 'USAGE')
      UNION ALL
     SELECT 'FUNCTION ' || p.oid::regprocedure, pg_get_userbyid(p.proowner) FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($2) AND NOT pg_has_role(p.proowner, 'USAGE')
      ORDER BY object LIMIT 1`,
    [tableNames, files.map(functionOf)],
  );
  if (foreign === undefined) return;
  throw new MigrationError(
    `${foreign.owner} owns ${foreign.object}, so its privileges cannot be set. As a superuser, run ALTER ${foreign.object} OWNER TO the role that owns the schema. Then run it again. Nothing was changed.`,
  );
}

/**
 * Checks the functions before their privileges are set.
 *
 * @throws MigrationError unless there is one function of the name of each file
 */
export async function checkNames(runQuery: RunQuery, files: readonly SchemaFile[]): Promise<void> {
  const found = await runQuery<{ name: string; signature: string }>(
    `SELECT p.proname AS name, p.oid::regprocedure::text AS signature FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($1) ORDER BY signature`,
    [files.map(functionOf)],
  );
  for (const file of files.filter(({ path }) => path !== privilegesPath)) {
    const name = functionOf(file);
    const signatures = found.filter((one) => one.name === name).map(({ signature }) => signature);
    if (signatures.length === 1) continue;
    throw new MigrationError(
      signatures.length === 0
        ? `database/${file.path} does not define ${name}. No file was applied.`
        : `The database would have ${signatures.length} functions named ${name}: ${signatures.join(' and ')}. Drop the one that database/${file.path} does not define, or give a changed one a new name. No file was applied.`,
    );
  }
}

/** @throws MigrationError if PUBLIC may execute a function of a file, as it may execute new ones */
export async function checkPublic(runQuery: RunQuery, files: readonly SchemaFile[]): Promise<void> {
  const [open] = await runQuery<{ name: string }>(
    `SELECT p.proname AS name FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($1)
        AND p.prorettype <> 'trigger'::regtype AND has_function_privilege('public', p.oid, 'EXECUTE')`,
    [files.map(functionOf)],
  );
  if (open === undefined) return;
  throw new MigrationError(
    `PUBLIC may execute ${open.name}. List it in database/privileges.sql: in the REVOKE and, if a role needs it, in a GRANT. No file was applied.`,
  );
}

/**
 * Checks the privileges after `privileges.sql`. PostgreSQL does not revoke what other roles
 * granted, and only warns if another role owns the schema.
 *
 * @throws MigrationError if a role has a privilege that this role cannot revoke
 */
export async function checkGrants(runQuery: RunQuery, files: readonly SchemaFile[]): Promise<void> {
  const [grant] = await runQuery<{
    object: string;
    owner: string;
    grantor: string;
    type: string;
    to: string;
  }>(
    `SELECT o.object, pg_get_userbyid(o.owner) AS owner, pg_get_userbyid(a.grantor) AS grantor,
            a.privilege_type AS type, g.name AS "to"
       FROM (
         SELECT quote_ident(c.relname) AS object, c.relowner AS owner, c.relacl AS acl FROM pg_class c
          WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1)
         UNION ALL
         SELECT quote_ident(c.relname), c.relowner, a.attacl FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
          WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1)
         UNION ALL
         SELECT 'FUNCTION ' || p.oid::regprocedure, p.proowner, p.proacl FROM pg_proc p
          WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($2)
         UNION ALL
         SELECT 'SCHEMA public', n.nspowner, n.nspacl FROM pg_namespace n WHERE n.nspname = 'public'
       ) AS o
      CROSS JOIN LATERAL aclexplode(o.acl) AS a
       JOIN ${grantees} AS g ON g.id = a.grantee
      WHERE a.grantor <> o.owner OR (o.object = 'SCHEMA public' AND a.privilege_type = 'CREATE')
      ORDER BY o.object, g.name, a.privilege_type LIMIT 1`,
    [tableNames, files.map(functionOf)],
  );
  if (grant === undefined) return;
  const { object, owner, grantor, type, to } = grant;
  const remedy =
    grantor === owner
      ? `REVOKE ${type} ON ${object} FROM ${to}`
      : `REVOKE GRANT OPTION FOR ALL ON ${object} FROM ${grantor} CASCADE`;
  throw new MigrationError(
    `${grantor} granted ${type} on ${object} to ${to}, and this role cannot revoke it. As a superuser, run ${remedy}. Then run it again. No file was applied.`,
  );
}
