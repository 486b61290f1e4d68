import type { Knex } from 'knex';
import type { QueryResultRow } from 'pg';

import { isCoordinator } from '../citus/cluster-role';
import { settleFunctions } from '../citus/delegate-functions';
import { clusterSettings, isDistributed } from '../citus/distribute';
import { changedNames, type Query, readDefinitions } from './definitions';
import { type Due, findDue, readLastApplied } from './due-files';
import { MigrationError } from './migration-error';
import { runFile } from './run-file';
import { functionOf, privilegesPath, type SchemaFile } from './schema-files';

/**
 * Applies the files that differ from the database, and records them. On a coordinator with
 * distributed tables, it then sets again what Citus needs: a replaced function loses it.
 *
 * @param transaction all of it commits, or nothing
 * @returns the paths of the applied files, and the lines of the report of `npm run migrate`
 * @throws MigrationError with the file and the line
 */
export async function applyFiles(
  transaction: Knex,
  files: readonly SchemaFile[],
): Promise<{ files: string[]; lines: string[] }> {
  const query = queryOf(transaction);
  const due = await findDue(query, files);
  const before = await readDefinitions(query, files);
  const isNew = ({ file }: Due): boolean => Object.keys(before.get(file.path) ?? {}).length === 0;
  const privileges = files.find(({ path }) => path === privilegesPath);
  // PUBLIC may execute a new function until the privileges say otherwise.
  if (privileges && due.some(isNew) && !due.some(({ file }) => file === privileges)) {
    due.push({ file: privileges, reason: 'for new functions' });
  }
  const onCitus = await isCoordinator(transaction);
  if (onCitus) await transaction.raw(clusterSettings);
  for (const { file } of due) {
    if (file !== privileges) await prepareFunction(transaction, file);
    await runFile(transaction, file);
  }
  const delegated = onCitus && (await isDistributed(transaction)) ? await settleFunctions(transaction) : [];
  await record(query, files, due);
  return { files: due.map(({ file }) => file.path), lines: [...linesOf(due), ...delegatedLine(delegated)] };
}

/**
 * Drops the triggers of a function that its file does not define. `CREATE OR REPLACE` would keep
 * them.
 *
 * @throws MigrationError if there are several functions of this name
 */
async function prepareFunction(transaction: Knex, file: SchemaFile): Promise<void> {
  const name = functionOf(file);
  const query = queryOf(transaction);
  const functions = await query(
    `SELECT FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proname = $1`,
    [name],
  );
  if (functions.length > 1) {
    throw new MigrationError(
      `The database has ${functions.length} functions named ${name}. Drop the one that database/${file.path} does not define, and run it again.`,
    );
  }
  const triggers = await query<{ trigger: string; table: string }>(
    `SELECT t.tgname AS trigger, c.relname AS "table"
       FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
      WHERE NOT t.tgisinternal AND p.pronamespace = 'public'::regnamespace AND p.proname = $1`,
    [name],
  );
  const defined = new Set(Array.from(file.text.matchAll(/\bTRIGGER (\w+)/g), ([, trigger]) => trigger));
  for (const { trigger, table } of triggers) {
    if (!defined.has(trigger)) await transaction.raw('DROP TRIGGER ?? ON ??', [trigger, table]);
  }
}

function linesOf(due: readonly Due[]): string[] {
  if (due.length > 1 && due.every(({ reason }) => reason === 'new')) {
    return [`functions and privileges: ${due.length} files applied`];
  }
  return due.map(({ file, reason }) => `database/${file.path}: applied (${reason})`);
}

const delegatedLine = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`functions run on the worker of the tenant: ${names.join(', ')}`];

/** Knex has named parameters. */
const queryOf =
  (transaction: Knex): Query =>
  async <Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row[]> => {
    const named = Object.fromEntries(
      values.map((value, index) => [`p${index + 1}`, value as Knex.RawBinding]),
    );
    const { rows } = await transaction.raw<{ rows: Row[] }>(sql.replaceAll(/\$(\d)/g, ':p$1'), named);
    return rows;
  };

/** Also records what Citus's privileges for defaults changed. */
async function record(query: Query, files: readonly SchemaFile[], due: readonly Due[]): Promise<void> {
  const last = await readLastApplied(query);
  const definitions = await readDefinitions(query, files);
  for (const file of files) {
    const now = definitions.get(file.path) ?? {};
    const isDue = due.some((one) => one.file === file);
    if (!isDue && changedNames(last.get(file.path)?.definitions ?? {}, now).length === 0) continue;
    await query('INSERT INTO schema_functions (file, sha256, definitions) VALUES ($1, $2, $3)', [
      file.path,
      Buffer.from(file.sha256, 'hex'),
      now,
    ]);
  }
}
