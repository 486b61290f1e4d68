import { readdirSync } from 'node:fs';
import path from 'node:path';

import type { Database } from '../pool/database';
import { encodingProblem } from '../session-settings';
import { type Due, findDue } from './due-files';
import { appliedFiles, functionOf, type SchemaFile } from './schema-files';

/** The folder beside `src`, both in the sources and in the build. */
export const migrationsDirectory = path.join(__dirname, '..', '..', '..', 'migrations');

/** The names of this program's migrations in order, without `.ts` or `.js`. */
export function knownMigrations(): string[] {
  return readdirSync(migrationsDirectory)
    .filter((file) => /^\d+_\w+\.(ts|js)$/.test(file))
    .map((file) => file.replace(/\.(ts|js)$/, ''))
    .sort();
}

export interface SchemaState {
  /** `server_encoding` of the database. */
  encoding: string | undefined;
  /** Migrations of this program that are not applied to the database. */
  missing: string[];
  /** Migrations that are applied to the database, but not in this program. */
  unknown: string[];
  /**
   * Files of `database/` whose text was never applied. If a newer release has replaced the text,
   * this program still runs with it.
   */
  unapplied: string[];
  /** Whether the database records which files were applied. */
  hasFiles: boolean;
}

type Reader = Pick<Database, 'runUnprepared'>;

/**
 * Compares this program's migrations, functions and privileges with those of the database.
 *
 * @param files replaces the files of this program, for tests
 */
export async function readSchemaState(
  database: Reader,
  files: readonly SchemaFile[] = appliedFiles(),
): Promise<SchemaState> {
  const [tables] = await database.runUnprepared<{
    encoding: string;
    has_migrations: boolean;
    has_functions: boolean;
  }>(
    `SELECT current_setting('server_encoding') AS encoding,
            to_regclass('public.knex_migrations') IS NOT NULL AS has_migrations,
            to_regclass('public.schema_functions') IS NOT NULL AS has_functions`,
    [],
  );
  const hasFiles = tables?.has_functions === true;
  const { names, texts } =
    tables?.has_migrations === true
      ? await readRecorded(database, hasFiles)
      : { names: [], texts: new Set<string>() };
  const known = knownMigrations();
  return {
    encoding: tables?.encoding,
    missing: known.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !known.includes(name)),
    unapplied: files
      .filter((file) => !texts.has(`${functionOf(file)} ${file.sha256}`))
      .map((file) => file.path),
    hasFiles,
  };
}

interface Recorded {
  names: string[];
  /** Every text of a file that was ever applied, as the name of its function and the digest. */
  texts: Set<string>;
}

/** Reads both in one query, because a busy service waits for a connection for each. */
async function readRecorded(database: Reader, hasFiles: boolean): Promise<Recorded> {
  const rows = await database.runUnprepared<{ name: string; is_file: boolean }>(
    `SELECT m.name, false AS is_file, m.id AS place FROM public.knex_migrations m
     ${hasFiles ? `UNION ALL SELECT DISTINCT regexp_replace(f.file, '^.*/|[.]sql$', '', 'g') || ' ' || encode(f.sha256, 'hex'), true, 0 FROM public.schema_functions f` : ''}
      ORDER BY place`,
    [],
  );
  const namesOf = (isFile: boolean): string[] =>
    rows.filter((row) => row.is_file === isFile).map(({ name }) => name);
  return { names: namesOf(false), texts: new Set(namesOf(true)) };
}

/**
 * The files of `database/` that `npm run migrate` would apply. Needs the table `schema_functions`.
 */
export const readDueFiles = (database: Reader, files = appliedFiles()): Promise<Due[]> =>
  findDue((sql, values) => database.runUnprepared(sql, values), files);

/** What to do about files that differ from the database; undefined if none does. */
export function dueProblem(due: readonly Due[]): string | undefined {
  if (due.length === 0) return undefined;
  if (due.some(({ isAltered }) => isAltered)) {
    return 'Somebody changed the database by hand. npm run migrate replaces these changes, so save them first: see "Functions changed by hand" in docs/operations/deploy.md.';
  }
  return 'Another version has replaced these files. If this version stays, run: npm run migrate';
}

const more = (names: readonly string[]): string => `The first is ${names[0] ?? ''}. Run: npm run migrate`;

/** What `npm run migrate` has to apply before this program can run; undefined if nothing. */
export function missingParts({ missing, unapplied }: SchemaState): string | undefined {
  if (missing.length > 0) {
    const count = missing.length === 1 ? '1 migration' : `${missing.length} migrations`;
    return `The database lacks ${count}. ${more(missing)}`;
  }
  if (unapplied.length === 0) return undefined;
  const count = unapplied.length === 1 ? '1 file' : `${unapplied.length} files`;
  const were = unapplied.length === 1 ? 'was' : 'were';
  return `${count} of this version ${were} never applied to the database. ${more(unapplied.map((file) => `database/${file}`))}`;
}

/** Why the service refuses to start on this schema; undefined when the schema matches. */
export function schemaProblem(state: SchemaState): string | undefined {
  const { encoding, unknown } = state;
  const problem = encodingProblem(encoding);
  if (problem !== undefined) return problem;
  if (unknown.length > 0) {
    return `The database has migrations that this version does not know. The last is ${unknown.at(-1) ?? ''}. Start the version that includes them, or use that version to revert them: npm run migrate:down`;
  }
  return missingParts(state);
}

/** Every problem of the schema, in the order in which to solve them. */
export function schemaProblems(state: SchemaState, due: readonly Due[]): string[] {
  const problem = schemaProblem(state);
  // Before an upgrade, only the changes by hand are news. They must be saved first.
  const files = problem === undefined ? due : due.filter(({ isAltered }) => isAltered);
  return [dueProblem(files), problem].filter((text) => text !== undefined);
}
