import type { Knex } from 'knex';
import type { QueryResultRow } from 'pg';

import type { ClusterMigrations } from '../cluster';
import { checkGrants, checkNames, checkOwners, checkPublic } from './applied-functions';
import { changedNames, type Definitions, type RunQuery, readDefinitions } from './definitions';
import { type Due, findDue, readLastApplied } from './due-files';
import { runFile } from './run-file';
import { functionOf, privilegesPath, type SchemaFile } from './schema-files';
import { normalized, prepareTriggers, withoutChangesMeanwhile } from './triggers';

/**
 * Applies the files that differ from the database, and records them. On a cluster, it then
 * sets again what the cluster needs: a replaced function loses it.
 *
 * @param transaction all of it commits, or nothing
 * @returns the paths of the applied files, and the lines of the report of `npm run migrate`
 * @throws MigrationError with the file and the line
 */
export async function applyFiles(
  transaction: Knex,
  files: readonly SchemaFile[],
  cluster: ClusterMigrations | undefined,
): Promise<{ files: string[]; lines: string[] }> {
  const runQuery = runQueryOf(transaction);
  const due = withPrivileges(await findDue(runQuery, files), files);
  const unchanged = due.length > 0 ? await applyDue(transaction, files, due) : new Map<string, Definitions>();
  const restored = (await cluster?.restore(transaction)) ?? [];
  await record(
    runQuery,
    files,
    ({ path }) =>
      due.some(({ file }) => file.path === path) || (cluster !== undefined && path === privilegesPath),
    unchanged,
  );
  return { files: due.map(({ file }) => file.path), lines: [...linesOf(due), ...restored] };
}

const isPrivileges = ({ path }: SchemaFile): boolean => path === privilegesPath;

/** PUBLIC may execute a new function until the privileges say otherwise. */
function withPrivileges(due: readonly Due[], files: readonly SchemaFile[]): readonly Due[] {
  const privileges = files.find(isPrivileges);
  if (privileges === undefined || due.some(({ file }) => file === privileges)) return due;
  if (!due.some(({ definitions }) => Object.keys(definitions).length === 0)) return due;
  return [...due, { file: privileges, reason: 'for new functions', definitions: {} }];
}

/**
 * Applies the privileges last, because they name each function without its arguments.
 *
 * @returns the triggers that it did not replace, as they were before, by the path of their file
 */
async function applyDue(
  transaction: Knex,
  files: readonly SchemaFile[],
  due: readonly Due[],
): Promise<Map<string, Definitions>> {
  const runQuery = runQueryOf(transaction);
  const unchanged = new Map<string, Definitions>();
  await checkOwners(runQuery, files);
  for (const { file, definitions } of due.filter((one) => !isPrivileges(one.file))) {
    const triggers = await prepareTriggers(transaction, runQuery, file);
    const kept: Record<string, string> = {};
    await runFile(transaction, file, (query) => {
      const trigger = triggers.get(normalized(query));
      if (trigger !== undefined) kept[trigger] = definitions[trigger] ?? '';
      return trigger !== undefined;
    });
    unchanged.set(file.path, kept);
  }
  await checkNames(runQuery, files);
  for (const { file } of due.filter((one) => isPrivileges(one.file))) await runFile(transaction, file);
  await checkPublic(runQuery, files);
  await checkGrants(runQuery, files);
  return unchanged;
}

function linesOf(due: readonly Due[]): string[] {
  if (due.length > 1 && due.every(({ reason }) => reason === 'new')) {
    return [`functions and privileges: ${due.length} files applied`];
  }
  return due.map(({ file, reason }) => `database/${file.path}: applied (${reason})`);
}

/** Knex has named parameters. */
const runQueryOf =
  (transaction: Knex): RunQuery =>
  async <Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row[]> => {
    const named = Object.fromEntries(
      values.map((value, index) => [`p${index + 1}`, value as Knex.RawBinding]),
    );
    const { rows } = await transaction.raw<{ rows: Row[] }>(sql.replaceAll(/\$(\d)/g, ':p$1'), named);
    return rows;
  };

/**
 * Records what the run applied. A file that it did not apply keeps its record: a change that
 * somebody made meanwhile must stay a difference. The exception is what a cluster added to
 * privileges.
 */
async function record(
  runQuery: RunQuery,
  files: readonly SchemaFile[],
  isApplied: (file: SchemaFile) => boolean,
  unchanged: ReadonlyMap<string, Definitions>,
): Promise<void> {
  const last = await readLastApplied(runQuery);
  const definitions = await readDefinitions(runQuery, files);
  for (const file of files.filter(isApplied)) {
    const now = withoutChangesMeanwhile(
      file,
      definitions.get(file.path) ?? {},
      unchanged.get(file.path) ?? {},
    );
    const before = last.get(functionOf(file));
    const isSame = before?.sha256 === file.sha256 && changedNames(before.definitions, now).length === 0;
    if (isSame) continue;
    await runQuery('INSERT INTO schema_functions (file, sha256, definitions) VALUES ($1, $2, $3)', [
      file.path,
      Buffer.from(file.sha256, 'hex'),
      now,
    ]);
  }
}
